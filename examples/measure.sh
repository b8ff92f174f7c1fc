#!/bin/sh
# Measures the example anew: full profiles on real data, on an otherwise idle machine of two cores.
#
#     examples/measure.sh FOLDER
#
# --budget is above what each process takes: a process that reaches it stops, and its total is
# extrapolated and marked on every page. Trainings of several hours have fewer epochs, and pages say so.
# The minutes of each line are those that two cores took, rounded up.
# A run that was cut goes on where it stopped.
set -eu

measure() {
	minutes=$1
	shift
	echo "$(date +%H:%M) for about $minutes min: $*"
	accelreport run --results "$results" --quiet "$@"
}

results=$1
measure 31 specs/mnist_gorner.toml specs/mnist_deploy.toml specs/beijing_gru.toml --device cpu --budget 10m
# S3's table: three batches, ten epochs, three repeats.
measure 66 specs/mnist_batch_sweep.toml --device cpu --budget 20m
measure 50 specs/fashion_mnist.toml --device cpu --budget 40m
measure 18 specs/mnist_cnn.toml --device cpu --set workload.epochs=1 --budget 60m
# S1: 20 epochs with each kernel, and with the arithmetic of a TPU.
measure 57 specs/imdb_lstm.toml --device cpu --budget 40m
measure 25 specs/imdb_lstm.toml --device cpu-bf16 --filter kernel=default --budget 40m
# S4: the sample network for 30 epochs, and every point of the grid at a batch of 128 for both epochs.
measure 31 specs/har_sample.toml --device cpu --budget 60m
measure 90 specs/har_sweep.toml --device cpu --filter batch_size=128 --budget 20m
measure 15 specs/mnist_latency.toml
measure 20 specs/matmul.toml --device cpu --budget 20m
measure 29 specs/shakespeare.toml --device cpu --set workload.epochs=1 --set workload.steps_per_epoch=15 --budget 60m
# Odense's file is not passed on: a stand-in of its shape, marked on the page. It needs 11 GB.
measure 30 specs/weather_gru.toml --device cpu --data synthetic --set workload.epochs=2 --budget 60m
# What two cores compare among themselves.
measure 66 specs/frameworks.toml --budget 10m
measure 21 specs/precision_cnn.toml --device cpu --device cpu-bf16 \
	--set workload.epochs=1 --set measure.repeats=3 --budget 60m
measure 40 specs/precision_lstm.toml --device cpu --device cpu-bf16 \
	--set workload.epochs=3 --set measure.repeats=3 --budget 60m
measure 12 specs/strategies.toml
measure 20 specs/har_strategies.toml --filter batch_size=512 --budget 20m
