"""Keras 3 on PyTorch: the same problems, trained eagerly or by what `torch.compile` makes."""
