"""From claims to a capability: the router cascade, capability selection, action resolution."""
