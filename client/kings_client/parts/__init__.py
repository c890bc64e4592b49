"""The pieces of a screen: pure functions from what is known to a drawn rectangle."""
