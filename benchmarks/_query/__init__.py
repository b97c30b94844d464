"""What benchmarks/query.py is made of: the sides, each a server process of its own, and how they are loaded and measured."""
