"""What a page, its card and its slides begin with: a figure and the findings that it shows."""
