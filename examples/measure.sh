#!/bin/sh
# Measures the example anew: full profiles on real data, on an otherwise idle machine of two cores.
#
#     examples/measure.sh FOLDER
#
# Whole trainings where they end within minutes; elsewhere a process stops after the time of
# --budget, and the total of its training is extrapolated and marked on every page. Without budgets
# two cores are busy for more than a day. A run that was cut goes on where it stopped.
set -eu

measure() {
	accelreport run --results "$results" --quiet "$@"
}

results=$1
measure specs/mnist_gorner.toml specs/mnist_deploy.toml specs/beijing_gru.toml --device cpu
measure specs/mnist_batch_sweep.toml specs/fashion_mnist.toml --device cpu --budget 20s
measure specs/mnist_cnn.toml specs/imdb_lstm.toml --device cpu --budget 15s
measure specs/har_sample.toml --device cpu --budget 15s
measure specs/mnist_latency.toml
measure specs/har_sweep.toml --device cpu --set measure.repeats=1 --budget 6s
measure specs/matmul.toml --device cpu --budget 60s
measure specs/shakespeare.toml --device cpu --budget 3m # a step takes ten seconds
# What two cores compare among themselves.
measure specs/frameworks.toml --device cpu-torch-compiled --set measure.repeats=3 --budget 75s
measure specs/frameworks.toml --set measure.repeats=3 --budget 15s
measure specs/precision_cnn.toml specs/precision_lstm.toml --device cpu --device cpu-bf16 \
	--set measure.repeats=3 --budget 15s
measure specs/strategies.toml --set measure.repeats=3 --budget 12s
measure specs/har_strategies.toml --set measure.repeats=1 --budget 10s
