"""The GraphQL mutations, by subject: one action, one input, its own payload."""
