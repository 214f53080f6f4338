"""Deleting what expired: one pass over a database, the scheduler that starts it, its telemetry."""
