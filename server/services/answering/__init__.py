"""Answering: from a question and the lines of a context to a text that cites them, without a language model or by one."""
