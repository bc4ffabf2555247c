"""What follows from a checked program alone: bounds of values, growth of expressions, lints."""
