"""From files to syntax trees, and back to text."""
