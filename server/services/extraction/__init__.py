"""Extraction: what a text says, as entities, facts and relationships with the words they rest on."""
