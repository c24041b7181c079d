"""The functions of the environment, a file for each library. Each offers `IMPLEMENTATIONS`: signature name to function."""
