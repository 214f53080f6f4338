"""A model's output becomes candidates; the JSON Schema and the prompt text for the model."""
