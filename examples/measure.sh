#!/bin/sh
# Measures the example anew: full profiles on real data, on an otherwise idle machine of two cores.
#
#     examples/measure.sh FOLDER
#
# Whole trainings wherever a claim or a headline rests on them; elsewhere a process stops after the time
# of --budget, and its total is extrapolated and marked on every page. The minutes of each line are those
# that two cores took for its steps, validations and start-ups, rounded up; those of imdb_lstm on cpu
# are foreseen from six of its nine processes, those of its three with bfloat16 from a faster host, those
# of har_sample from one of its three, and those of har_sweep from the half of its grid with a batch of
# 128. On the faster host har_sample took 29 minutes, fashion_mnist 48, the six of imdb_lstm 53 and its
# three with bfloat16 24.
# A run that was cut goes on where it stopped.
set -eu

measure() {
	minutes=$1
	shift
	echo "$(date +%H:%M) for about $minutes min: $*"
	accelreport run --results "$results" --quiet "$@"
}

results=$1
measure 21 specs/mnist_gorner.toml specs/mnist_deploy.toml specs/beijing_gru.toml --device cpu
# S3's table: three batches, ten epochs, three repeats.
measure 66 specs/mnist_batch_sweep.toml --device cpu --budget 10m
measure 80 specs/fashion_mnist.toml --device cpu --budget 40m
measure 42 specs/mnist_cnn.toml --device cpu --budget 20m
# S1: 20 epochs with each kernel, and with the arithmetic of a TPU.
measure 234 specs/imdb_lstm.toml --device cpu --budget 40m
measure 75 specs/imdb_lstm.toml --device cpu-bf16 --filter kernel=default --budget 40m
# S4: the sample network for 30 epochs, and every point of the grid for both of its epochs.
measure 137 specs/har_sample.toml --device cpu --budget 60m
measure 180 specs/har_sweep.toml --device cpu --budget 20m
measure 12 specs/mnist_latency.toml
measure 12 specs/matmul.toml --device cpu --budget 5m
measure 12 specs/shakespeare.toml --device cpu --budget 3m # a step takes ten seconds
# Odense's file is not passed on: a stand-in of its shape, marked on the page. It needs 7.5 GB.
measure 13 specs/weather_gru.toml --device cpu --data synthetic --set measure.repeats=1 --budget 10m
# What two cores compare among themselves.
measure 66 specs/frameworks.toml --budget 10m
measure 70 specs/precision_cnn.toml specs/precision_lstm.toml --device cpu --device cpu-bf16
measure 12 specs/strategies.toml
measure 20 specs/har_strategies.toml --filter batch_size=512 --budget 20m
