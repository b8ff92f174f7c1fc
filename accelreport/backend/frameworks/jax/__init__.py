"""Keras 3 on JAX: the same problems, trained by programs that JAX compiles."""
