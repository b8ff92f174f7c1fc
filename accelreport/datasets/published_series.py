"""Where series are published. Their publishers give no checksums, so they are pinned."""

from __future__ import annotations

from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry, KnownFile, RemoteFile

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
