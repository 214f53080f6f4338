"""Memory acts: grammars that read an utterance as one, and the executor over a store."""
