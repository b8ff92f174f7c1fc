"""Where reviews, movements and texts are published, with sizes and checksums."""

from __future__ import annotations

from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry, KnownFile, RemoteFile

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
    module="accelreport.datasets.text",
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
    module="accelreport.datasets.text",
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
