"""How far learners get that see the records of a dataset and no runbook."""
