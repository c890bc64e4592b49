"""What the client says: sentences for events, refusals, notices and reasons."""
