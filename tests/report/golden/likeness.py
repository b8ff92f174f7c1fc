"""How far two pictures of a page are from each other, in colours as people see them.

A picture is reduced to a quarter of its width and height, which takes the edges of letters
out of it, and compared in CIELAB. Blocks of 32 × 32 CSS px are told apart by the root mean
square of the colour difference (ΔE, 1976) of their reduced pixels: a line of text that moved
by a few px has other pixels, however equal the mean colours of the blocks are. A block also
differs where its ΔE is most of its own contrast, which is how grey letters are watched.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.report.golden.camera import Photograph

REDUCED = 4
"""CSS px that become one pixel, along each side."""

BLOCK = 8
"""Reduced pixels along a side of a block."""

TOLERANCE = 12.0
"""ΔE of a block that still counts as the same picture."""

FAINT_TOLERANCE = 5.0
"""ΔE below which nobody sees a difference, whatever stands in the block."""

CONTRAST_TOLERANCE = 0.75
"""Part of a block's own contrast that its ΔE may be: small grey letters have little of it.

Other hinting of letters was seen to change a block by ΔE 9 and half of its contrast, and Chromium
150 for 156 by ΔE 4; the least of the damages in `tests/report/test_golden.py` changes blocks by
ΔE 9 and all of their contrast.
"""

FAITHFUL = 3.0
"""ΔE of a block of a golden to the picture it was made from, at most."""

HEIGHT_TOLERANCE = 0.005
"""Part of a page's height by which it may differ: what lies below the picture is held by it."""

_HEIGHT = "page height"
"""Where a golden keeps the height of its page, in CSS px."""

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """Where a page differs from its golden.

    Attributes:
        words: what differs, where and by how much.
        blocks: whether each block differs, (rows, columns).
    """

    words: str
    blocks: NDArray[np.bool_]


def reduced(picture: Image.Image) -> Image.Image:
    """The picture at a quarter of its width and height."""
    return picture.reduce(REDUCED)


def save_golden(taken: Photograph, path: Path) -> None:
    """Writes a photograph as a golden: reduced, with the page's height.

    It has 256 colours where they are enough, which takes a third of the bytes.
    """
    info = PngInfo()
    info.add_text(_HEIGHT, str(taken.page_height))
    picture = reduced(taken.picture)
    colours = picture.quantize(
        256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE, kmeans=1
    )
    errors, _ = _compared(picture, colours.convert("RGB"))
    path.parent.mkdir(exist_ok=True)
    kept = colours if errors.max() <= FAITHFUL else picture
    kept.save(path, optimize=True, pnginfo=info)


def difference(taken: Photograph, golden_path: Path) -> Difference | None:
    """Where a page differs from its golden; None where it does not.

    Raises:
        FileNotFoundError: there is no golden of this page yet.
    """
    with Image.open(golden_path) as opened:
        golden = opened.convert("RGB")
        height = int(opened.info[_HEIGHT])
    actual = reduced(taken.picture)
    errors, blocks = _compared(golden, actual)
    said = []
    if abs(taken.page_height - height) > HEIGHT_TOLERANCE * height:
        said.append(f"the page is {taken.page_height} px high and was {height} px")
    if golden.width != actual.width:
        said.append(f"the picture is {actual.width} pixels wide and was {golden.width}")
    if blocks.any():
        said.append(_where(errors, blocks, taken))
    return Difference("; ".join(said), blocks) if said else None


def heat(blocks: NDArray[np.bool_], actual: Image.Image) -> Image.Image:
    """The picture, pale, with what differs in red."""
    pale = Image.blend(actual, Image.new("RGB", actual.size, "white"), 0.6)
    strength = np.where(blocks, 120, 0).astype(np.uint8)
    mask = Image.fromarray(strength).resize(
        (blocks.shape[1] * BLOCK, blocks.shape[0] * BLOCK), Image.Resampling.NEAREST
    )
    pale.paste("red", (0, 0), mask.crop((0, 0, *actual.size)))
    return pale


def _where(errors: Floats, blocks: NDArray[np.bool_], taken: Photograph) -> str:
    rows, columns = np.nonzero(blocks)
    side = BLOCK * REDUCED
    left, right = int(columns.min()) * side, int(columns.max() + 1) * side
    top, bottom = int(rows.min()) * side, int(rows.max() + 1) * side
    under = [name for name, where in taken.places if where <= top + side]
    place = f", from “{under[-1]}” on" if under else ""
    return (
        f"{len(rows)} of {blocks.size} blocks of {side} px differ, at most by ΔE "
        f"{errors.max():.1f}, between x {left} and {right}, y {top} and {bottom}{place}"
    )


def _compared(golden: Image.Image, actual: Image.Image) -> tuple[Floats, NDArray[np.bool_]]:
    """Root mean square ΔE of each block, and whether it counts.

    What only one of the pictures has is held against white.
    """
    side = [max(golden.size[i], actual.size[i]) for i in (0, 1)]
    width, height = (-(-each // BLOCK) * BLOCK for each in side)
    grid = (height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
    first, second = (_padded(each, width, height).reshape(grid) for each in (golden, actual))
    errors = _root_mean_square(first - second)
    contrast = np.maximum(*(_root_mean_square(_uneven(each)) for each in (first, second)))
    faint = (errors > FAINT_TOLERANCE) & (errors > CONTRAST_TOLERANCE * contrast)
    return errors, (errors > TOLERANCE) | faint


def _root_mean_square(differences: Floats) -> Floats:
    return np.asarray(np.sqrt((differences**2).sum(axis=-1).mean(axis=(1, 3))), dtype=np.float64)


def _uneven(blocks: Floats) -> Floats:
    """Colours relative to the mean of their block."""
    return np.asarray(blocks - blocks.mean(axis=(1, 3), keepdims=True), dtype=np.float64)


def _padded(picture: Image.Image, width: int, height: int) -> Floats:
    canvas = Image.new("RGB", (width, height), "white")
    canvas.paste(picture, (0, 0))
    return lab(np.asarray(canvas, dtype=np.float64) / 255)


def lab(colours: Floats) -> Floats:
    """CIELAB (D65) of sRGB colours.

    Args:
        colours: (…, 3) from 0 to 1.

    Returns:
        (…, 3): lightness from 0 to 100, and the two axes of colour (IEC 61966-2-1, CIE 15).
    """
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    scaled = linear @ _TO_XYZ.T / _WHITE
    roots = np.where(scaled > 216 / 24389, np.cbrt(scaled), (24389 / 27 * scaled + 16) / 116)
    x, y, z = roots[..., 0], roots[..., 1], roots[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
