"""Finding: search over everything that a volume knows."""
