"""`python -m compiler` is the `gtd` command."""

from compiler.cli import main

main()
