"""Which kernels a model ran on, and whether cuDNN's could have been used."""

from typing import Any

import pytest

from accelreport.backend.checks.model import kernel_path, no_cudnn

pytestmark = pytest.mark.e2e


def model(layer: Any) -> Any:
    import keras

    return keras.Sequential([keras.Input((6, 3)), layer])


def test_a_recurrent_layer_on_a_cpu_is_a_loop_and_nothing_is_said_of_cudnn() -> None:
    from keras import layers

    found = kernel_path(
        model(layers.Bidirectional(layers.LSTM(4))),
        frozenset({"While", "MatMul"}),
        {"device": "CPU", "onednn": "on", "xla": "off"},
    )
    assert found == {"kernels": "oneDNN", "recurrent_kernel": "loop over steps"}


def test_a_fused_kernel_in_the_graph_is_named() -> None:
    from keras import layers

    facts = {"device": "GPU", "onednn": "on", "xla": "off", "cudnn": "9"}
    found = kernel_path(model(layers.GRU(4)), frozenset({"CudnnRNNV3"}), facts)
    assert found["recurrent_kernel"] == "cuDNN"
    assert found["kernels"] == "cuDNN 9"


def test_compiled_steps_run_on_what_xla_makes_of_them() -> None:
    from keras import layers

    found = kernel_path(model(layers.Dense(4)), frozenset({"MatMul"}), {"xla": "on"})
    assert found == {"kernels": "XLA"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"recurrent_dropout": 0.2}, "recurrent_dropout"),
        ({"recurrent_activation": "hard_sigmoid"}, "recurrent_activation is not sigmoid"),
        ({"activation": "relu"}, "activation is not tanh"),
        ({"use_cudnn": False}, "use_cudnn is false"),
        ({"unroll": True}, "unroll"),
        ({"use_bias": False}, "no bias"),
    ],
)
def test_what_silently_leaves_cudnn_is_said(options: dict[str, Any], reason: str) -> None:
    from keras import layers

    assert no_cudnn(layers.LSTM(4, **options)) == [reason]
    path = kernel_path(model(layers.LSTM(4, **options)), frozenset(), {})
    assert path["cudnn_possible"] == f"no: {reason}"


def test_a_gru_of_the_older_form_leaves_cudnn_too() -> None:
    from keras import layers

    assert no_cudnn(layers.GRU(4, reset_after=False)) == ["reset_after is false"]
    assert no_cudnn(layers.GRU(4)) == []
