"""`gtd study`: arms compared on archived generations."""
