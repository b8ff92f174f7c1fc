"""The page: a report model, charts, the Jinja site and its exports."""
