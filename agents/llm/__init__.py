"""Between an agent's requests and a language model: prompts, schemas, reading, checks."""
