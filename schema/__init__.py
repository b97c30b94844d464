"""The GraphQL layer: shapes, batch resolvers, limits, errors, HTTP. What the server does is in server.services."""
