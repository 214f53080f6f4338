"""Competing futures over a world and its memories, and a choice that abstains without support."""
