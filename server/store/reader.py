"""Reading: everything that can be asked of one database, each subject in a module of its own.

Every read takes its own short connection, or the transaction's when it is a transaction's reader. Plural reads answer
one result per key, in key order. The number of statements of a call never depends on the number of keys.
"""

from __future__ import annotations

from server.store.claims import Claims
from server.store.levels import Levels
from server.store.log import Log
from server.store.names import Names
from server.store.predicates import Predicates
from server.store.runs import Runs
from server.store.sources import Sources
from server.store.tables import Tables

__all__ = ["Reader"]


class Reader(Levels, Tables, Names, Predicates, Claims, Sources, Runs, Log):
    """Reads of one database."""
