"""Disks that take no more."""

from tests.support.disks import read_only_folder, tiny_disk

__all__ = ["read_only_folder", "tiny_disk"]
