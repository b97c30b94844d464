"""Loregraph's server: everything below the GraphQL schema, and the composition root above it."""
