"""The dataset as a folder: written whole, and looked up."""
