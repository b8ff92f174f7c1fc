"""Charts: one module for each form, each from plain rows to a drawing."""
