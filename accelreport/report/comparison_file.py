"""Two runs side by side as one HTML file, which needs neither a network nor a script."""

from __future__ import annotations

from accelreport.analysis.comparison import Comparison
from accelreport.report.drawer import Drawer
from accelreport.report.facts import SiteFacts
from accelreport.report.pages.two_runs import TITLE, two_runs_page
from accelreport.report.rendering import Renderer


def comparison_html(compared: Comparison) -> str:
    """The page of a comparison.

    Raises:
        DrawingError: the drawing could not be made.
    """
    facts = SiteFacts(TITLE)
    page = two_runs_page(compared)
    with Drawer(None) as drawer:
        drawer.expect(page)
        return Renderer(drawer.svg, None, facts).render(page, site=facts)
