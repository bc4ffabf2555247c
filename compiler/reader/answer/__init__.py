"""A handbook and a run's printed lines to worlds, walks and one answer."""
