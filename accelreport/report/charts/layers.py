"""Layers of a chart: rows known by name, a mark, and Altair's channels.

Altair's own charts copy, check and resolve everything they are given, for each layer anew. A
layer here is the same in Vega-Lite, and a channel that several layers share is read once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partialmethod
from typing import Any

Spec = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""


@dataclass(frozen=True)
class Marked:
    """Rows with a mark, to which only the channels are missing."""

    rows: Rows
    mark: Spec

    def encode(self, **channels: Any) -> Spec:
        """The layer.

        Args:
            channels: name of a channel → Altair's channel, such as `alt.X`, or `alt.value`.
        """
        encoding = {name: self.rows.plain(channels[name]) for name in sorted(channels)}
        return {"data": {"name": self.rows.name}, "mark": self.mark, "encoding": encoding}


@dataclass(frozen=True)
class Rows:
    """Rows of a chart, which are kept apart from its marks.

    Attributes:
        name: name of the data set.
        known: channel by its identity, and what it says; shared by all rows of a chart. It
            keeps the channel itself, too, so that no later one has the same identity.
    """

    name: str
    known: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def plain(self, channel: Any) -> Any:
        """What a channel says, as JSON values."""
        if isinstance(channel, dict):
            return channel
        if id(channel) not in self.known:
            self.known[id(channel)] = channel, channel.to_dict(validate=False)
        return self.known[id(channel)][1]

    def _marked(self, kind: str, **properties: Any) -> Marked:
        ordered = {name: properties[name] for name in sorted(properties)}
        return Marked(self, {"type": kind, **ordered})

    mark_area = partialmethod(_marked, "area")
    mark_bar = partialmethod(_marked, "bar")
    mark_line = partialmethod(_marked, "line")
    mark_point = partialmethod(_marked, "point")
    mark_rect = partialmethod(_marked, "rect")
    mark_rule = partialmethod(_marked, "rule")
    mark_text = partialmethod(_marked, "text")
