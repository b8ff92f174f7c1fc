"""The documentation as a static site: `make docs` builds it from docs/*.md and from the code.

Pages that people write are Markdown under docs/, and are read on any code host as they stand.
Reference pages are made from the pydantic models and from the command line itself, so that none
can fall behind. All of them wear the style of the report.
"""
