"""`gtd export`: tasks for trainers, and runs for studies."""
