"""A seat played by a program of somebody's own: ``kings bot``."""
