"""Decide a task by counting its worlds and repairs, with numpy."""
