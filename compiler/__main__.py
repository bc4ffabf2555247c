"""`python -m compiler` is the `gtd` command."""

from compiler.cli.app import main

main()
