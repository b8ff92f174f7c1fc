"""How Sphinx builds these pages into a site that needs no network to be read."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import accelreport

project = "accelreport"
author = "The accelreport maintainers"
version = release = accelreport.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "docsite"]

# Headings have the anchors that code hosts give them, so that links hold in both places.
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"
default_role = "literal"
napoleon_use_ivar = True
nitpick_ignore_regex = [
    # Types of other packages: their sites would be asked over the network.
    (r"py:(class|obj|data|exc)", r"(?!accelreport\.).*"),
    (r"py:(class|obj)", r"accelreport\.(?:.*\.)?[A-Z]\w+"),
]

smartquotes = False  # an option is typed with the quotes that stand here
html_theme = "furo"
html_title = "accelreport"
html_copy_source = html_show_sourcelink = False
html_show_sphinx = html_show_copyright = False
# The same sources give the same bytes.
html_last_updated_fmt = None
