"""Generated code: routines over a row of integers, as Python or as machine code. See README.md."""
