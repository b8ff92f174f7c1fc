"""The documentation as a site: whole, linked, and saying nothing that the code does not."""
