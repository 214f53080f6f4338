"""The store: the only place that talks to a database."""
