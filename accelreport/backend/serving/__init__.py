"""A trained model exported, served by a process of its own, and asked over HTTP."""
