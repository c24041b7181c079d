"""What stands between a cluster and the move to DRA, as checks with codes.

Pure: functions of a Snapshot. Imports inventory, extended_resources, knowledge and objects.
"""
