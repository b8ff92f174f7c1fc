"""Pages with one figure each, for a frame on somebody else's page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from accelreport.report.model import Download, Page, Section
from accelreport.report.relink import relinked


def embed_pages(page: Page) -> Iterator[Page]:
    """A page for each figure of a page that names one; it leads back to the whole."""

    def link(old: str) -> str:
        return f"../{page.path}{old}" if old.startswith("#") else f"../{old}"

    for figure in page.figures:
        if figure.embed:
            alone = relinked(replace(figure, downloads=(), embed=""), name=str, link=link)
            yield replace(
                page,
                path=figure.embed,
                title=f"{figure.title}: {page.title}",
                headline="",
                sections=(Section("figure", figure.title, (alone,)),),
                template="embed.html",
                byline=(),
                related=(),
                crumbs=(Download(f"{page.path}#{figure.id}", page.title),),
            )
