"""Bots: pure functions from what a seat knows to what it does."""
