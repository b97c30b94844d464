"""The GraphQL object types, by subject. Each is made from a record by `of` and reads what else it shows in batches."""

from schema.types import scalars

# The enumerations must be GraphQL's, with their descriptions, before any type mentions them.
__all__ = ["scalars"]
