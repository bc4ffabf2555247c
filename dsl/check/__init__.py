"""Names, types, units and the rules of the language: from syntax trees to checked forms."""
