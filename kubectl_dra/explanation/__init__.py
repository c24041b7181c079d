"""Why a pod does not get its devices, or what it holds: before, while and after scheduling. Pure: a Snapshot in, a document out."""
