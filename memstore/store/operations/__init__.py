"""Each operation once, over a connection, inside the caller's transaction."""
