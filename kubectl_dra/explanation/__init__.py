"""Why a pod has no device, or has none yet: what the scheduler, the controllers and the kubelet make of one pod, told to a person.

Pure functions of a Snapshot. Imports audit, inventory, remedies, allocation and what these import.
"""
