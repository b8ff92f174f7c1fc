"""What an index shows of README.md: its links lead to where the release lies, or are plain text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESS = "ACCELREPORT_REPOSITORY"
"""Variable with the address below which a release is read; the release job sets it."""

PICTURE = re.compile(r"<picture>.*?</picture>\n\n.*?\n\n", re.DOTALL)
"""A picture and the paragraph below it, which says what it shows."""
LOCAL_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)")
LOCAL_FILE = re.compile(r'(src|srcset)="(?![a-z]+:)([^"]+)"')


class ReadmeHook(MetadataHookInterface):
    """Sets `readme` and, where the repository's address is known, `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what pyproject.toml calls dynamic."""
        address = os.environ.get(ADDRESS, "").rstrip("/")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        shown = absolute(text, address, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
        if address:
            metadata["urls"] = {
                "Source": address,
                "Issues": f"{address}/issues",
                "Changelog": f"{address}/blob/v{metadata['version']}/CHANGELOG.md",
            }


def absolute(text: str, address: str, tag: str) -> str:
    """The text with every relative link and picture at `address`; without one, words only.

    An index serves no file beside the text: relative links would lead nowhere.
    """
    if not address:
        return LOCAL_LINK.sub(r"\1", PICTURE.sub("", text))
    text = LOCAL_FILE.sub(rf'\1="{address}/raw/{tag}/\2"', text)
    return LOCAL_LINK.sub(rf"[\1]({address}/blob/{tag}/\2)", text)
