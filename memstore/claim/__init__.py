"""Competing claims for one utterance, and the arbiter between them; imports nothing of memstore."""
