# The command accelreport, with TensorFlow for the CPU; docs/automation.md shows how it is used.
#   docker build --tag accelreport .
#   docker run --rm --volume "$PWD:/measure" accelreport run specs/ --profile quick
ARG BASE=python:3.12.14-slim-trixie@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
FROM ${BASE}

# cpu: every wheel by the hash of the lock; gpu, tpu: what pip chooses.
ARG EXTRA=cpu
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore

WORKDIR /opt/accelreport
COPY requirements.lock requirements-report.lock ./
RUN case "$EXTRA" in \
        cpu) pip install --only-binary :all: --require-hashes --requirement requirements.lock ;; \
        gpu | tpu) ;; \
        *) echo "EXTRA is $EXTRA; it must be cpu, gpu or tpu." >&2; exit 2 ;; \
    esac
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY accelreport accelreport
COPY specs specs
COPY templates templates
COPY examples/chips examples/chips
RUN if [ "$EXTRA" = cpu ]; then pip install --no-deps --no-build-isolation .; \
    else pip install ".[$EXTRA]"; fi

# Whoever `docker run --user` names may write here, too.
RUN useradd --no-create-home --home-dir /tmp --uid 1000 measurer && mkdir /measure /data && chmod 1777 /measure /data
# A user whom the image does not know would else have its home in the folder that is measured in,
# or at the root, where nobody may write.
ENV HOME=/tmp ACCELREPORT_CACHE=/tmp/accelreport-cache ACCELREPORT_DATA=/data
USER measurer
WORKDIR /measure
ENTRYPOINT ["accelreport"]
CMD ["--help"]
