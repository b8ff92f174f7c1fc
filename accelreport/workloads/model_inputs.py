"""The inputs and the output of a model, held against the examples and labels of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accelreport.workloads.own_model import ModelError, as_passed, input_embeddings, inputs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from accelreport.workloads.keras_parameters import KerasParameters


def arrays_of_inputs(
    model: Any, held: Mapping[str, Any], parameters: KerasParameters
) -> dict[str, str]:
    """Which array of the data each input of a model takes.

    Args:
        model: has the inputs.
        held: what the data hold by the name of an input; a single one has no name.
        parameters: name the data.

    Raises:
        ModelError: the data have other inputs.
    """
    names = list(inputs_of(model))
    if len(names) == 1 and list(held) == [""]:
        return {names[0]: "x"}
    if set(names) == set(held):
        return {name: f"x/{name}" for name in names}
    has = f"inputs {', '.join(held)}" if "" not in held else "one input"
    written = f"features = {{ {', '.join(f'{name} = […]' for name in names)} }}"
    if len(names) == 1:
        written = "features as one list"
    raise ModelError(
        f"The model has the input{'s' * (len(names) > 1)} {', '.join(names)}, and the data have "
        f"{has}.",
        why="Inputs are found by their names, as `fit` finds them in a dict",
        remedy=f"Write {written}."
        if parameters.target
        else f"Name the arrays of the data {', '.join(names)}: by np.savez, or in the dict that "
        "data.py:load returns.",
        key="features" if parameters.features else parameters.model_key,
    )


def check_inputs(
    model: Any, examples: Mapping[str, NDArray[Any]], parameters: KerasParameters
) -> None:
    """See that a model takes examples: by their shape, or layer by layer where it is left open.

    Nothing is computed.

    Raises:
        ModelError: a layer does not take it, or an embedding has no row for one of its numbers.
    """
    import keras

    several, key = len(examples) > 1, parameters.model_key
    if several and (parameters.divide_by != 1 or parameters.afterwards):
        name = "afterwards" if parameters.afterwards else "divide_by"
        raise ModelError(
            f"`{name}` is of models with one input.",
            remedy=f"Delete `{name}`; keras.layers.Rescaling(1 / 255) divides one of several.",
            key=name,
        )
    inputs = inputs_of(model)
    for name, tensor in inputs.items():
        had, wanted = examples[name].shape[1:], tensor.shape[1:]
        of = f" `{name}`" if several else "s"
        bare = [length for length in wanted if length != 1]
        if None not in wanted and bare != [length for length in had if length != 1]:
            remedy = "Choose another data set, or options of it that give this shape."
            if parameters.data.endswith("/") and len(wanted) == 3:
                remedy = f"Write image_size = [{wanted[0]}, {wanted[1]}]"
                remedy += ', color_mode = "grayscale".' if wanted[2] == 1 else "."
            elif sorted(wanted) == sorted(had):
                remedy = "Transpose the examples, as np.moveaxis(x, 1, -1) does with channels."
            elif math.prod(wanted) == math.prod(had):
                remedy = f"Begin the model with keras.Input({had}) and "
                remedy += f"keras.layers.Reshape({wanted})."
            raise ModelError(
                f"The model takes input{of} of shape {wanted}, and an example has the shape {had}.",
                remedy=remedy,
                key=key,
            )
        embeddings = list(input_embeddings(model, tensor))
        if not embeddings and "int" not in str(tensor.dtype):
            continue
        values = examples[name] / parameters.divide_by
        least, most = float(values.min()), float(values.max())
        if parameters.target and (values % 1).any():
            raise ModelError(
                f"The model takes whole numbers as input{of}, and the examples hold "
                f"{values[values % 1 != 0][0]:g}.",
                remedy="Write standardise = false, or the columns that are to be standardised.",
                key="standardise",
            )
        for embedding in embeddings:
            if not 0 <= least <= most < embedding.input_dim:
                raise ModelError(
                    f"The embedding {embedding.name} has rows for 0 to {embedding.input_dim - 1}, "
                    f"and the examples hold numbers from {least:g} to {most:g}.",
                    remedy=f"Write input_dim = {int(most) + 1} or more, or choose options of the "
                    "data set that give fewer numbers.",
                    key=key,
                )
    if any(None in tensor.shape[1:] for tensor in inputs.values()):
        kinds = {
            name: keras.KerasTensor((1, *examples[name].shape[1:]), tensor.dtype)
            for name, tensor in inputs.items()
        }
        shapes = " and ".join(str(tensor.shape[1:]) for tensor in kinds.values())
        try:
            model.compute_output_spec(as_passed(model, kinds))
        except Exception as error:  # each layer and framework has a class of its own
            raise ModelError(
                f"The model does not take an example of the shape {shapes}.",
                why=next(iter(str(error).strip().splitlines()), type(error).__name__),
                remedy="Choose another data set, or options of it that give another shape.",
                key=key,
            ) from error


def check_outputs(shape: tuple[int | None, ...], labels: NDArray[Any], loss: str, key: str) -> None:
    """Labels [n, …] fit the outputs [batch, *shape] under this loss.

    A framework notices neither in time: on a GPU a label without an output makes the loss NaN.

    Raises:
        ModelError: they do not.
    """
    own = labels.shape[1:]
    by_class = loss == "sparse_categorical_crossentropy"
    given = shape[:-1] if by_class else shape
    if None not in given and math.prod(own) != math.prod(n for n in given if n is not None):
        raise ModelError(
            f"The model gives outputs of shape {shape}, and under {loss} labels of shape {own} "
            "do not fit them.",
            remedy="End the model with another layer, or choose another loss.",
            key=key,
        )
    least, most = float(labels.min()), float(labels.max())
    if by_class and (least < 0 or most >= (shape[-1] or math.inf) or (labels % 1).any()):
        raise ModelError(
            f"The model gives {shape[-1]} outputs, and the labels go from {least:g} to {most:g}: "
            f"under {loss} each must be the number of an output.",
            remedy=f"End the model with {int(most) + 1} outputs, or choose another loss.",
            key=key,
        )
    if loss == "binary_crossentropy" and (least < 0 or most > 1):
        raise ModelError(
            f"Under {loss} labels lie between 0 and 1, and these go from {least:g} to {most:g}.",
            remedy="Choose sparse_categorical_crossentropy and one output for each class.",
            key=key,
        )
