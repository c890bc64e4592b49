"""The server: lobby, tables, seats and bots, on trio."""
