"""The text of prompts."""
