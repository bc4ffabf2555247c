"""The driver and the two ends of the solver: lowering, rendering, splits, the command line."""
