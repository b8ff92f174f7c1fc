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
