"""An emitted folder against its sources."""
