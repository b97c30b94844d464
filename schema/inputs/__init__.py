"""The GraphQL inputs, by subject; each knows the plain value that services or the store take."""
