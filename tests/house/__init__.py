"""What holds for the whole tree, whoever wrote which part of it."""
