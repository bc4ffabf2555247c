"""The command line: the only part of the compiler that reads options and prints."""
