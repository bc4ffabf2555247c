"""From specs to proved tasks."""
