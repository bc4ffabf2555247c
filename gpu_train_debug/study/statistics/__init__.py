"""From graded samples to estimates with intervals."""
