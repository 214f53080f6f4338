"""The ``memstore`` command: a thin shell over the library."""
