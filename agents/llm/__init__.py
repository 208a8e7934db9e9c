"""Connects an agent's requests to a language model: prompts, schemas, parsing, checks."""
