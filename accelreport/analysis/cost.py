"""What a run costs at the price of an hour, which the devices file names with its day."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.spec.device import Device


@dataclass(frozen=True)
class Price:
    """The price of a device.

    Attributes:
        per_hour: money for an hour.
        currency: of it.
        date: the day on which that was the price; empty when nobody said.
        source: who asks it; empty when nobody said.
    """

    per_hour: float
    currency: str
    date: str = ""
    source: str = ""

    def of(self, seconds: float) -> float:
        """Money for so many seconds."""
        return self.per_hour * seconds / 3600


def price_of(device: Device | None) -> Price | None:
    """The price the devices file gives; None where it gives none."""
    if device is None or device.price_per_hour is None:
        return None
    return Price(
        device.price_per_hour, device.currency, device.price_date, device.price_source.strip()
    )
