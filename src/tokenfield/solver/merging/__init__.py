"""Joining tokens of collapsed clusters while a flow is solved, and the record of who joined whom."""
