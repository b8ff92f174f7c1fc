"""The data sets accelreport knows: their files, licences and citations.

Sizes and checksums are those of the publishers' files. A file without a checksum is
pinned when it is first downloaded (see `pins`).
"""

from __future__ import annotations

from dataclasses import dataclass

_CVDF = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_KERAS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
MEBIBYTE = 1024 * 1024
"""Bytes in a mebibyte."""


@dataclass(frozen=True)
class KnownFile:
    """A file with the place it has in the cache.

    Attributes:
        path: place below the data folder, with forward slashes.
        size: bytes of the published file; None when it is pinned on first download.
        sha256: checksum of the published file; None when it is pinned on first download.
    """

    path: str
    size: int | None
    sha256: str | None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class RemoteFile(KnownFile):
    """A published file.

    Attributes:
        url: where it is published.
        limit: bytes above which nothing is accepted in its place.
        instead: files that serve in its stead when they are already in the cache.
    """

    url: str = ""
    limit: int = 256 * MEBIBYTE
    instead: tuple[KnownFile, ...] = ()


@dataclass(frozen=True)
class CatalogueEntry:
    """A data set.

    Attributes:
        name: its name in a spec.
        title: what the report calls it.
        module: module with `Options`, `read` and `synthetic` for it.
        files: what it consists of; empty when the person brings the file.
        licence: the terms under which it is published.
        citation: how to cite it.
        homepage: where it is described.
        shape: one line on what is inside.
    """

    name: str
    title: str
    module: str
    files: tuple[RemoteFile, ...]
    licence: str
    citation: str
    homepage: str
    shape: str


def _idx(folder: str, base: str, rows: tuple[tuple[str, int, str], ...]) -> tuple[RemoteFile, ...]:
    return tuple(
        RemoteFile(f"{folder}/{name}", size, sha256, url=base + name) for name, size, sha256 in rows
    )


_MNIST = CatalogueEntry(
    name="mnist",
    title="MNIST handwritten digits",
    module="accelreport.datasets.images",
    files=_idx(
        "mnist",
        _CVDF,
        (
            (
                "train-images-idx3-ubyte.gz",
                9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            ),
            (
                "train-labels-idx1-ubyte.gz",
                28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            ),
            (
                "t10k-images-idx3-ubyte.gz",
                1_648_877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            ),
            (
                "t10k-labels-idx1-ubyte.gz",
                4_542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            ),
        ),
    ),
    licence="CC BY-SA 3.0",
    citation=(
        "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner: Gradient-based learning applied to document "
        "recognition. Proceedings of the IEEE 86(11), 2278–2324, 1998. doi:10.1109/5.726791"
    ),
    homepage="https://github.com/cvdfoundation/mnist",
    shape="60,000 + 10,000 grey images of 28 × 28 pixels in 10 classes",
)

_FASHION_MNIST = CatalogueEntry(
    name="fashion_mnist",
    title="Fashion-MNIST",
    module="accelreport.datasets.images",
    files=_idx(
        "fashion_mnist",
        _KERAS,
        (
            (
                "train-images-idx3-ubyte.gz",
                26_421_880,
                "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            ),
            (
                "train-labels-idx1-ubyte.gz",
                29_515,
                "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            ),
            (
                "t10k-images-idx3-ubyte.gz",
                4_422_102,
                "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            ),
            (
                "t10k-labels-idx1-ubyte.gz",
                5_148,
                "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
            ),
        ),
    ),
    licence="MIT",
    citation=(
        "H. Xiao, K. Rasul, R. Vollgraf: Fashion-MNIST: a novel image dataset for benchmarking "
        "machine learning algorithms. arXiv:1708.07747, 2017."
    ),
    homepage="https://github.com/zalandoresearch/fashion-mnist",
    shape="60,000 + 10,000 grey images of 28 × 28 pixels in 10 classes",
)

CATALOGUE: dict[str, CatalogueEntry] = {entry.name: entry for entry in (_MNIST, _FASHION_MNIST)}
"""Every data set by its name."""
