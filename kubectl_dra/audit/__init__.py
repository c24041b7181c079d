"""What stands between a cluster and the move to DRA, as checks with codes.

Pure: functions of a Snapshot. Imports inventory, remedies, extended_resources, knowledge, objects and document.
"""
