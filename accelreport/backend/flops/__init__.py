"""The arithmetic of a step: counted from a traced graph, never from a profiler."""
