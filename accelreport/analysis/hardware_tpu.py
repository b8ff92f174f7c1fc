"""TPUs, by Google's documentation; each row says of how many chips it speaks."""

from __future__ import annotations

from accelreport.analysis.hardware import Hardware

_DOCS = "https://cloud.google.com/tpu/docs/"

TPU: tuple[Hardware, ...] = (
    Hardware(
        "Cloud TPU v6e chip",
        r"\bTPU v6e\b|\bTrillium\b",
        {"bfloat16": 918.0},
        gbps=1638.0,
        source="TPU v6e, Cloud TPU documentation, Google",
        address=f"{_DOCS}v6e",
        reading="maker",
        wording="Peak compute per chip (bf16) 918 TFLOPs; HBM bandwidth per chip 1638 GBps",
        unit="chip",
        cores=1,
    ),
    Hardware(
        "Cloud TPU v5p chip",
        r"\bTPU v5p\b",
        {"bfloat16": 459.0},
        gbps=2760.0,
        source="TPU v5p, Cloud TPU documentation, Google",
        address=f"{_DOCS}v5p",
        reading="copy",
        read_in="a public repository's notes that quote the page, accessed 2025-01-31",
        wording="Peak compute per chip (bf16): 459 TFLOPs. HBM2e … 95 GB, 2.76 TB/s",
        unit="chip",
        cores=2,
    ),
    Hardware(
        "Cloud TPU v5e chip",
        r"\bTPU v5e\b|\bTPU v5 ?lite\b",
        {"bfloat16": 197.0},
        gbps=819.0,
        source="TPU v5e, Cloud TPU documentation, Google",
        address=f"{_DOCS}v5e",
        reading="maker",
        wording="Peak compute per chip (bf16) 197 TFLOPs; HBM2 … 16 GB, 819 GBps",
        unit="chip",
        cores=1,
    ),
    Hardware(
        "Cloud TPU v4 chip",
        r"\bTPU v4\b",
        {"bfloat16": 275.0},
        gbps=1200.0,
        source="TPU v4, Cloud TPU documentation, Google",
        address=f"{_DOCS}v4",
        reading="maker",
        wording="Peak compute per chip 275 teraflops (bf16 or int8); HBM2 … 32 GiB, 1200 GBps",
        unit="chip",
        cores=2,
    ),
    # Announced in 2018 with 420 teraflops for the board; the documentation gives the chip 123.
    Hardware(
        "Cloud TPU v3 board",
        r"\bTPU v3\b",
        {"bfloat16": 492.0},
        gbps=3600.0,
        source="TPU v3, Cloud TPU documentation, Google, times four chips",
        address=f"{_DOCS}v3",
        reading="maker",
        wording="Peak compute per chip 123 teraflops (bf16); HBM2 … 32 GiB, 900 GBps",
        unit="board of four chips",
        cores=8,
    ),
    Hardware(
        "Cloud TPU v2 board",
        r"\bTPU v2\b",
        {"bfloat16": 180.0},
        source="report of Google's announcement of the Cloud TPU, 2017",
        address="https://bitrefine.group/aboutcompany/news/260-announcement-of-google-cloud-tpus-v-2",
        reading="copy",
        read_in="the address",
        wording="The performance of Googles TPU V2 reaches 180 teraflops",
        unit="board of four chips",
        cores=8,
    ),
)
"""Newest first."""
