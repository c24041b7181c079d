"""Extended resources through DRA (KEP-5004): which names they are, what a pod needs of them, and which class a name means.

Pure functions on objects; imports nothing of the other rooms but objects.
"""
