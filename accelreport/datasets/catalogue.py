"""The data sets accelreport knows, by name, and where their files are published.

Sizes and checksums are those of the publishers' files. A file without a checksum is
pinned when it is first downloaded (see `cache`).
"""

from __future__ import annotations

import difflib

from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry, KnownFile, RemoteFile
from accelreport.datasets.errors import DataUnavailable
from accelreport.plugins import DATASETS, PluginError, Plugins

_CVDF = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_KERAS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def _idx(folder: str, base: str, rows: tuple[tuple[str, int, str], ...]) -> tuple[RemoteFile, ...]:
    return tuple(
        RemoteFile(f"{folder}/{name}", size, sha256, url=base + name) for name, size, sha256 in rows
    )


MNIST = CatalogueEntry(
    name="mnist",
    title="MNIST handwritten digits",
    module="accelreport.datasets.mnist",
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
    module="accelreport.datasets.mnist",
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

IMDB = CatalogueEntry(
    name="imdb",
    title="IMDB film reviews",
    module="accelreport.datasets.imdb",
    files=(
        RemoteFile(
            "imdb/imdb.npz",
            17_464_789,
            "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f",
            url="https://storage.googleapis.com/tensorflow/tf-keras-datasets/imdb.npz",
        ),
    ),
    licence="for research; the reviews belong to their authors",
    citation=(
        "A. L. Maas, R. E. Daly, P. T. Pham, D. Huang, A. Y. Ng, C. Potts: Learning word vectors "
        "for sentiment analysis. ACL 2011, 142–150."
    ),
    homepage="https://ai.stanford.edu/~amaas/data/sentiment/",
    shape="25,000 + 25,000 reviews as word numbers, half of them positive",
)
"""IMDB film reviews."""

UCI_HAR = CatalogueEntry(
    name="uci_har",
    title="UCI Human Activity Recognition Using Smartphones",
    module="accelreport.datasets.uci_har",
    files=(
        RemoteFile(
            "uci_har/human+activity+recognition+using+smartphones.zip",
            61_005_872,
            "c00b803081a5c797cd5e4b83700a9810b38d53d9d84e01917e090e1fdbc81031",
            url=(
                "https://archive.ics.uci.edu/static/public/240/"
                "human+activity+recognition+using+smartphones.zip"
            ),
            instead=(
                KnownFile(
                    "uci_har/UCI HAR Dataset.zip",
                    60_999_314,
                    "2045e435c955214b38145fb5fa00776c72814f01b203fec405152dac7d5bfeb0",
                ),
            ),
        ),
    ),
    licence="CC BY 4.0",
    citation=(
        "D. Anguita, A. Ghio, L. Oneto, X. Parra, J. L. Reyes-Ortiz: A public domain dataset for "
        "human activity recognition using smartphones. ESANN 2013. doi:10.24432/C54S4K"
    ),
    homepage="https://archive.ics.uci.edu/dataset/240",
    shape="7,352 + 2,947 windows of 128 × 9 inertial signals in 6 classes, split by person",
)
"""UCI Human Activity Recognition Using Smartphones."""

SHAKESPEARE = CatalogueEntry(
    name="shakespeare",
    title="Tiny Shakespeare",
    module="accelreport.datasets.shakespeare",
    files=(
        RemoteFile(
            "shakespeare/input.txt",
            1_115_394,
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
            url=(
                "https://raw.githubusercontent.com/karpathy/char-rnn/master/"
                "data/tinyshakespeare/input.txt"
            ),
        ),
    ),
    licence="public domain",
    citation="A. Karpathy: char-rnn, 2015. https://github.com/karpathy/char-rnn",
    homepage="https://github.com/karpathy/char-rnn",
    shape="1,115,394 characters",
)
"""Tiny Shakespeare."""

SHAKESPEARE_GUTENBERG = CatalogueEntry(
    name="shakespeare_gutenberg",
    title="The Complete Works of William Shakespeare (Project Gutenberg 100)",
    module="accelreport.datasets.shakespeare",
    files=(
        RemoteFile(
            "shakespeare/100-0.txt",
            None,
            None,
            url="https://www.gutenberg.org/files/100/100-0.txt",
            limit=64 * MEBIBYTE,
        ),
    ),
    licence="public domain in the USA (Project Gutenberg License)",
    citation="W. Shakespeare: The Complete Works. Project Gutenberg, eBook 100.",
    homepage="https://www.gutenberg.org/ebooks/100",
    shape="about 5.5 million characters",
)
"""The Complete Works of William Shakespeare (Project Gutenberg 100)."""

WEATHER_DENMARK = CatalogueEntry(
    name="weather_denmark",
    title="Weather of five Danish cities, 1980–2018",
    module="accelreport.datasets.weather_denmark",
    files=(
        RemoteFile(
            "weather/weather-denmark.tar.gz",
            None,
            None,
            url="https://github.com/Hvass-Labs/weather-denmark/raw/master/weather-denmark.tar.gz",
        ),
    ),
    licence="non-commercial use only (National Climatic Data Center, USA)",
    citation=(
        "M. E. H. Pedersen: weather-denmark, 2018. https://github.com/Hvass-Labs/weather-denmark"
    ),
    homepage="https://github.com/Hvass-Labs/weather-denmark",
    shape="333,109 hours of 4 quantities in 5 cities",
)
"""Weather of five Danish cities, 1980–2018."""

BEIJING = CatalogueEntry(
    name="beijing_pm25",
    title="Beijing PM2.5 and weather, 2010–2014",
    module="accelreport.datasets.beijing",
    files=(
        RemoteFile(
            "weather/beijing+pm2+5+data.zip",
            None,
            None,
            url="https://archive.ics.uci.edu/static/public/381/beijing+pm2+5+data.zip",
            limit=64 * MEBIBYTE,
            instead=(KnownFile("weather/PRSA_data_2010.1.1-2014.12.31.csv", None, None),),
        ),
    ),
    licence="CC BY 4.0",
    citation=(
        "X. Liang, T. Zou, B. Guo, S. Li, H. Zhang, S. Zhang, H. Huang, S. X. Chen: Assessing "
        "Beijing's PM2.5 pollution. Proceedings of the Royal Society A 471, 20150257, 2015. "
        "doi:10.24432/C5JS49"
    ),
    homepage="https://archive.ics.uci.edu/dataset/381",
    shape="43,824 hours of 8 quantities",
)
"""Beijing PM2.5 and weather, 2010–2014."""

CSV = CatalogueEntry(
    name="csv",
    title="A series of your own",
    module="accelreport.datasets.csv_series",
    files=(),
    licence="yours",
    citation="",
    homepage="",
    shape="any CSV file with a time and columns of numbers",
)
"""A series of your own."""

BUILT_IN: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        MNIST,
        FASHION_MNIST,
        IMDB,
        UCI_HAR,
        SHAKESPEARE,
        SHAKESPEARE_GUTENBERG,
        WEATHER_DENMARK,
        BEIJING,
        CSV,
    )
}
"""The data sets that accelreport itself knows."""

_PLUGINS = Plugins(DATASETS, CatalogueEntry, "name", BUILT_IN)

CATALOGUE: dict[str, CatalogueEntry] = {**BUILT_IN, **_PLUGINS.found}
"""Every data set that can be used, by its name: also those that packages add."""

BROKEN: dict[str, PluginError] = _PLUGINS.broken
"""Why a package's data set cannot be used, by its name."""


def find(name: str) -> CatalogueEntry:
    """The catalogue's entry of that name.

    Raises:
        DataUnavailable: when there is none; the message names the closest.
        PluginError: when the package that adds it does not work.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    if name in BROKEN:
        raise BROKEN[name]
    close = difflib.get_close_matches(name, CATALOGUE, n=1)
    raise DataUnavailable(
        f"There is no data set called {name!r}.",
        why=f"Did you mean {close[0]!r}?" if close else "",
        remedy=f"Known are: {', '.join(CATALOGUE)}.",
    )
