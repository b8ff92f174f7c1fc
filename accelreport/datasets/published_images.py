"""Where the images are published, with size and checksum of every file."""

from __future__ import annotations

from accelreport.datasets.entry import CatalogueEntry, RemoteFile

_CVDF = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_KERAS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def _idx(folder: str, base: str, rows: tuple[tuple[str, int, str], ...]) -> tuple[RemoteFile, ...]:
    return tuple(
        RemoteFile(f"{folder}/{name}", size, sha256, url=base + name) for name, size, sha256 in rows
    )


MNIST = CatalogueEntry(
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
"""MNIST handwritten digits."""

FASHION_MNIST = CatalogueEntry(
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
"""Fashion-MNIST."""
