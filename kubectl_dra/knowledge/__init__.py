"""Facts with their sources, in data files, each with one typed loader. Imports objects and errors only."""
