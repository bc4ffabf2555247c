"""What a folder of tasks is like, from its files alone, and what a dataset promises of that."""
