"""What every page says of the site, and whether a person's choices can be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.logo import logo_address
from accelreport.report.options import BuildOptions
from accelreport.report.text import clean, label


class OptionError(AccelReportError):
    """A choice cannot be used."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True)
class SiteFacts:
    """What every page says of the site.

    Attributes:
        title: its name.
        logo: a `data:` address; empty without a logo.
        address: where it will be published, ending with "/"; empty when that is not known.
        pictures: whether figures are also PNG files.
        interactive: whether figures can be explored.
        theme: "auto", "light" or "dark": the colours until a reader chooses.
    """

    title: str
    logo: str = ""
    address: str = ""
    theme: str = "auto"
    pictures: bool = False
    interactive: bool = False


NO_FACTS = SiteFacts("")
"""Nothing chosen."""


def facts_of(options: BuildOptions) -> SiteFacts:
    """What the pages say, from what a person chose.

    Raises:
        AccelReportError: a choice cannot be used.
    """
    _check_templates(options.templates)
    return SiteFacts(
        title=label(options.title),
        logo=logo_address(options.logo) if options.logo else "",
        address=_address(options.base_url) if options.base_url else "",
        theme=options.theme,
        pictures=options.pictures,
        interactive=options.interactive,
    )


def _check_templates(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise OptionError(
            f"{folder} is not a folder of templates.",
            remedy="Name a folder that holds copies of the templates you want to change.",
        )


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.username is None
    except ValueError:
        parts, usable = urlsplit(""), None
    odd = clean(text) != text or any(letter in " \t\n\"'<>\\" for letter in text)
    if not usable or odd or parts.query or parts.fragment:
        raise OptionError(
            f"{label(text)} cannot be the address of a site.",
            remedy="Give the address of its folder, such as https://example.org/report/.",
        )
    return text if text.endswith("/") else f"{text}/"
