"""One thin module a command: it reads its flags, asks the rooms below, and hands the answer to `report`."""
