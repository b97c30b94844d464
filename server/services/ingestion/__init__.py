"""Ingestion: from a stored document to entities, facts and relationships with evidence.

`worker` takes the steps of it from the queue and runs them, `writer` puts what a document says into the graph.
"""
