"""The decision: is this memory durable or temporary, and why. Pure: no database, no clock."""
