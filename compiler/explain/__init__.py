"""Answers, walks and missing tasks in words."""
