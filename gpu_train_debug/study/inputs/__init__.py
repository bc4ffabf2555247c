"""What a study reads: tasks, archives, plans."""
