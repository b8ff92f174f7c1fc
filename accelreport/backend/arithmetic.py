"""The arithmetic of a step: operations, bytes and depth, from one table over Keras layers.

Only products count (matrix products, convolutions, recurrent cells): in the networks measured
here, element-wise operations are a hundredth of the arithmetic and bound by memory. A multiply-add
is two operations. A product is done once forwards, and once more for the gradient of each of its
two operands that somebody needs. It reads its operands once and writes its result once, which is
the traffic of the algorithm as it is written: caches and fusion save some of it, and operands that
do not fit are read again. `tests/backend/arithmetic.toml` has an answer for every layer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accelreport.backend.checks.model import FUSED, no_cudnn
from accelreport.backend.engine import Engine
from accelreport.results.record import Flops

METHOD = (
    "calculated from the layers: convolutions, matrix products and recurrent cells, loops as often "
    "as they run; a multiply-add is two operations, element-wise operations are left out"
)
"""How the operations were counted, for the record."""

BYTES_METHOD = (
    "each counted product reads its operands and writes its result once; element-wise "
    "operations, the optimizer and reuse in caches are left out"
)
"""How the bytes were counted, for the record."""

BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
"""Bytes of an element of each dtype that layers compute in."""

STATE, WEIGHT = "state", "weight"
"""What an operand of a product is; a state is whatever the layer itself has computed."""

Operand = int | str
"""The number of an input of the layer, `STATE` or `WEIGHT`."""

Shape = tuple[int, ...]


class NotCountedError(ValueError):
    """The operations of a model are not known."""


@dataclass(frozen=True)
class Product:
    """A product of two arrays.

    Attributes:
        left: elements of its first operand.
        right: elements of its second one.
        result: elements of its result.
        summed: products that each element of the result is a sum of.
        operands: what both operands are.
        times: how often it is done, as in the turns of a loop.
        places: of a convolution's kernel; 0 for a matrix product.
        rank: of a convolution's result, whose shape both gradients read.
    """

    left: int
    right: int
    result: int
    summed: int
    operands: tuple[Operand, Operand] = (0, WEIGHT)
    times: int = 1
    places: int = 0
    rank: int = 0


@dataclass(frozen=True)
class Layer:
    """A layer where the model calls it.

    Attributes:
        layer: the Keras layer or operation.
        inputs: the tensors that it is given.
        outputs: those that it gives; tensors hold shapes alone.
        fused: whether it runs as one kernel of cuDNN's where that fits.
    """

    layer: Any
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    fused: bool = False

    @property
    def input(self) -> Shape:
        """Shape of the first input."""
        return tuple(self.inputs[0].shape)

    @property
    def output(self) -> Shape:
        """Shape of the first output."""
        return tuple(self.outputs[0].shape)


# The table -------------------------------------------------------------------------------------


def _matrix(rows: int, inputs: int, outputs: int, **more: Any) -> Product:
    """[rows, inputs] × [inputs, outputs]."""
    return Product(rows * inputs, inputs * outputs, rows * outputs, inputs, **more)


def _dense(call: Layer) -> Iterator[Product]:
    yield _matrix(math.prod(call.input[:-1]), call.input[-1], call.output[-1])


def _einsum(left: Shape, right: Shape, equation: str, operands: tuple[Operand, Operand]) -> Product:
    """Two operations for each combination of all axes; those of "..." belong to the left."""
    names, result = equation.replace(" ", "").split("->")
    first, second = names.split(",")
    hidden = "".join(chr(ord("α") + axis) for axis in range(len(left) - len(first) + 3))
    first, result = (text.replace("...", hidden) for text in (first, result))
    sizes = dict(zip(second, right, strict=True)) | dict(zip(first, left, strict=True))
    elements = math.prod(sizes[name] for name in result)
    summed = math.prod(sizes.values()) // elements
    return Product(math.prod(left), math.prod(right), elements, summed, operands)


def _einsum_dense(call: Layer) -> Iterator[Product]:
    kernel, equation = tuple(call.layer.kernel.shape), call.layer.equation
    yield _einsum(call.input, kernel, equation, (0, WEIGHT))


def _convolution(call: Layer) -> Iterator[Product]:
    *places, channels, _ = call.layer.kernel.shape
    yield _convolved(call.input, call.layer.kernel.shape, call.output, places, channels)


def _depthwise(call: Layer) -> Iterator[Product]:
    """An output channel sees one input channel."""
    kernel = call.layer.kernel.shape
    yield _convolved(call.input, kernel, call.output, kernel[:-2], 1)


def _separable(call: Layer) -> Iterator[Product]:
    """A depthwise convolution, and one of a single place over its channels."""
    depthwise, pointwise = call.layer.depthwise_kernel.shape, call.layer.pointwise_kernel.shape
    channels, between = pointwise[-2], [*call.output]
    between[-1 if call.layer.data_format == "channels_last" else 1] = channels
    yield _convolved(call.input, depthwise, between, depthwise[:-2], 1)
    last = _convolved(between, pointwise, call.output, pointwise[:-2], channels)
    yield replace(last, operands=(STATE, WEIGHT))


def _transposed(call: Layer) -> Iterator[Product]:
    """The gradient of a convolution whose image would be this one's result."""
    *places, channels, _ = call.layer.kernel.shape
    yield _convolved(call.output, call.layer.kernel.shape, call.input, places, channels)


def _convolved(
    image: Sequence[int], kernel: Shape, result: Sequence[int], places: Sequence[int], channels: int
) -> Product:
    count = math.prod(places)
    return Product(
        math.prod(image),
        math.prod(kernel),
        math.prod(result),
        count * channels,
        places=count,
        # An image of one dimension is convolved as one of a single row.
        rank=max(len(result), 4),
    )


GATES = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}
"""Products of input and state with weights, in a step of each kind of recurrent layer."""


def _recurrent(call: Layer) -> Iterator[Product]:
    batch, steps, inputs = call.input
    layer, units, gates = call.layer, call.layer.units, GATES[_kind(call.layer)]
    if _is_fused(call):
        # A whole sequence in one kernel, which reads and writes the states but once.
        states, rows = 4 * batch * units, batch * steps
        weights = gates * units * (inputs + units + 2)  # and two biases of each gate
        left, summed = rows * inputs + states, gates * (inputs + units)
        yield Product(left, weights, rows * units, summed, operands=(STATE, WEIGHT))
        return
    split = gates if getattr(layer.cell, "implementation", 2) == 1 else 1
    for _ in range(split):
        yield _matrix(batch, inputs, units * gates // split, times=steps)
    parts = [gates // split] * split
    if not getattr(layer, "reset_after", True) and split == 1:
        parts = [2, 1]  # the candidate waits for the reset gate
    for part in parts:
        yield _matrix(batch, units, part * units, operands=(STATE, WEIGHT), times=steps)


def _bidirectional(call: Layer) -> Iterator[Product]:
    for layer in (call.layer.forward_layer, call.layer.backward_layer):
        yield from _products(replace(call, layer=layer))


def _attention_heads(call: Layer) -> Iterator[Product]:
    layer = call.layer
    if layer._attention_axes != (1,):
        raise NotCountedError(f"{layer.name!r} (MultiHeadAttention) attends along several axes")
    query, value, key = _attended_inputs(call)
    projected = (layer._query_dense, layer._value_dense, layer._key_dense)
    for number, (dense, shape) in enumerate(zip(projected, (query, value, key), strict=True)):
        operand = min(number, len(call.inputs) - 1)
        yield _einsum(shape, tuple(dense.kernel.shape), dense.equation, (operand, WEIGHT))
    heads, sizes = layer.num_heads, (layer.key_dim, layer.value_dim)
    yield from _attended(query[0] * heads, query[1], key[1], sizes, (STATE, STATE, STATE))
    mixed, output = (*query[:2], heads, layer.value_dim), layer._output_dense
    yield _einsum(mixed, tuple(output.kernel.shape), output.equation, (STATE, WEIGHT))


def _attention(call: Layer) -> Iterator[Product]:
    query, value, key = _attended_inputs(call)
    operands = (0, 1, len(call.inputs) - 1)
    yield from _attended(query[0], query[1], key[1], (key[2], value[2]), operands)


def _attended_inputs(call: Layer) -> Sequence[Shape]:
    """Shapes of query, value and key, which may be the value."""
    shapes = [tuple(tensor.shape) for tensor in call.inputs]
    return (*shapes, shapes[1])[:3]


def _attended(
    batch: int,
    asking: int,
    previous: int,
    sizes: tuple[int, int],
    operands: tuple[Operand, Operand, Operand],
) -> Iterator[Product]:
    """Scores of keys for queries, and the values weighted by them.

    Args:
        batch: attentions that are computed apart.
        asking: queries of each.
        previous: keys of each.
        sizes: of a key and of a value.
        operands: what queries, values and keys are.
    """
    (key, value), (query_is, value_is, key_is) = sizes, operands
    scores, queries, keys = batch * asking * previous, batch * asking, batch * previous
    yield Product(queries * key, keys * key, scores, key, (query_is, key_is))
    yield Product(scores, keys * value, queries * value, previous, (STATE, value_is))


TABLE: dict[str, Callable[[Layer], Iterator[Product]]] = {
    "Dense": _dense,
    "EinsumDense": _einsum_dense,
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D"), _convolution),
    **dict.fromkeys(("DepthwiseConv1D", "DepthwiseConv2D"), _depthwise),
    **dict.fromkeys(("SeparableConv1D", "SeparableConv2D"), _separable),
    **dict.fromkeys(("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"), _transposed),
    **dict.fromkeys(GATES, _recurrent),
    "Bidirectional": _bidirectional,
    "MultiHeadAttention": _attention_heads,
    "Attention": _attention,
}
"""Keras' layers that are counted: their products forwards."""

CHAINS = {"SeparableConv1D": 2, "SeparableConv2D": 2, "MultiHeadAttention": 4, "Attention": 2}
"""Products of a layer that wait for one another, where they are not one."""

FREE = ("activations", "merging", "normalization", "pooling", "regularization", "reshaping")
"""Packages of Keras' layers whose other layers have no products."""

FREE_LAYERS = frozenset(
    {"Embedding", "Identity", "InputLayer", "LayerScale", "Masking", "Normalization", "Rescaling"}
    | {"StochasticDepth"}
)
"""Layers of other packages that have no products."""

WITH_PRODUCTS = frozenset({"Dot", "SpectralNormalization"})

FREE_OPERATIONS = frozenset(
    {"Abs", "Absolute", "Add", "Subtract", "Multiply", "Divide", "TrueDivide", "Negative", "Power"}
    | {"Square", "Sqrt", "Exp", "Log", "Maximum", "Minimum", "Clip", "Cast", "Sin", "Cos", "Tanh"}
    | {"Mean", "Sum", "Max", "Min", "Var", "Std", "ExpandDims", "Squeeze", "Reshape", "Transpose"}
    | {"Concatenate", "Stack", "Split", "Tile", "Repeat", "GetItem", "Take", "Pad", "Flip", "Roll"}
    | {"BroadcastTo", "SwapAxes", "Moveaxis", "OnesLike", "ZerosLike", "Shape", "OneHot"}
    | {"Relu", "Relu6", "Sigmoid", "Softmax", "LogSoftmax", "Softplus", "Silu", "Gelu", "Elu"}
)
"""Operations of `keras.ops` that stand in models between layers and have no products."""


def _kind(layer: Any) -> str:
    """The name of a layer of Keras' own, or of an operation; that of another has its package."""
    kind = type(layer)
    package = "" if kind.__module__.startswith("keras.src.") else f"{kind.__module__}."
    return f"{package}{kind.__name__}"


def _is_free(layer: Any) -> bool:
    kind, place = _kind(layer), type(layer).__module__.split(".")
    if place[:3] == ["keras", "src", "ops"]:
        return kind in FREE_OPERATIONS
    packaged = place[:3] == ["keras", "src", "layers"] and place[3] in FREE
    return kind in FREE_LAYERS or (packaged and kind not in WITH_PRODUCTS)


def _products(call: Layer) -> Iterator[Product]:
    """Products of a layer, or none.

    Raises:
        NotCountedError: the table does not have the layer.
    """
    layer, kind = call.layer, _kind(call.layer)
    adapted = getattr(layer, "lora_enabled", False) or getattr(layer, "quantization_mode", None)
    if kind in TABLE and not adapted:
        yield from TABLE[kind](call)
    elif not _is_free(layer):
        raise NotCountedError(f"the layer {layer.name!r} ({kind}) is not in the table of layers")


# A model ---------------------------------------------------------------------------------------


def calls_of(model: Any, shapes: Sequence[Shape], *, fused: bool = False) -> list[Layer]:
    """The layers of a model in the order in which they are called, inner models taken apart.

    Args:
        model: a Keras model.
        shapes: of its inputs, the batch among them.
        fused: whether recurrent layers run as cuDNN's kernels where these fit.

    Raises:
        NotCountedError: the model is no graph of layers.
    """
    from keras import KerasTensor, Model, tree

    calls: list[Layer] = []

    def run(model: Any, *inputs: Any, **_: Any) -> Any:
        graph = getattr(model, "_functional", None) or model
        if type(graph).call.__module__ != FUNCTIONAL:
            raise NotCountedError(f"{model.name!r} ({type(model).__name__}) is no graph of layers")
        return graph._run_through_graph(inputs, operation_fn=noted)

    def noted(operation: Any) -> Callable[..., Any]:
        if isinstance(operation, Model):
            return lambda *inputs, **more: run(operation, *inputs, **more)

        def called(*inputs: Any, **more: Any) -> Any:
            outputs = operation.compute_output_spec(*inputs, **more)
            # A mask says which products count; it is no factor of any.
            factors = {name: value for name, value in more.items() if not name.endswith("mask")}
            flat = tree.flatten((inputs, factors))
            given = [value for value in flat if isinstance(value, KerasTensor)]
            calls.append(Layer(operation, given, tree.flatten(outputs), fused))
            return outputs

        return called

    pairs = zip(shapes, model.inputs, strict=True)
    run(model, *(KerasTensor(shape, dtype=like.dtype) for shape, like in pairs))
    return calls


FUNCTIONAL = "keras.src.models.functional"
"""The module of Keras' models that are graphs of layers."""


def flops_of(calls: Sequence[Layer], *, trained: bool) -> Flops:
    """The operations of a model's calls, with their gradients if it is trained.

    A gradient is computed for the weights that are trained, and for whatever depends on such.

    Raises:
        NotCountedError: a layer is not in the table.
    """
    operations = moved = convolved = least = depth = 0.0
    # By tensor: whether its gradient is needed, and products before it, forwards and backwards.
    needed: dict[int, bool] = {}
    ahead: dict[int, float] = {}
    behind: dict[int, float] = {}
    chains: list[float] = []
    for call in calls:
        learns = trained and bool(getattr(call.layer, "trainable_weights", []))
        before = [needed.get(id(tensor), False) for tensor in call.inputs]
        state = learns or any(before)
        wanted: dict[Operand, bool] = {**dict(enumerate(before)), STATE: state, WEIGHT: learns}
        products = list(_products(call))
        for product in products:
            gradients = sum(wanted[operand] for operand in product.operands)
            one = 2.0 * product.result * product.summed * product.times
            total = one * (1 + gradients)
            elements = (product.left + product.right + product.result) * (1 + gradients)
            operations += total
            least += total / (product.places or 1)
            convolved += total if product.places else 0.0
            itemsize = BYTES[getattr(call.layer, "compute_dtype", "float32")]
            moved += (elements + product.rank * gradients) * product.times * itemsize
        chains.append(_chain(call) if products else 0.0)
        ready = max((ahead.get(id(tensor), 0.0) for tensor in call.inputs), default=0.0)
        depth = max(depth, chains[-1] if _is_loop(call) else ready + chains[-1])
        for tensor in call.outputs:
            needed[id(tensor)] = state
            ahead[id(tensor)] = 0.0 if _is_loop(call) else ready + chains[-1]
    for call, chain in zip(reversed(calls), reversed(chains), strict=True):
        ends = [id(tensor) for tensor in call.outputs]
        if not any(needed[end] for end in ends):
            continue
        after = (
            0.0 if _is_loop(call) else max(max(behind.get(end, 0.0), ahead[end]) for end in ends)
        )
        depth = max(depth, after + chain)
        for tensor in call.inputs:
            start = 0.0 if _is_loop(call) else after + chain
            behind[id(tensor)] = max(behind.get(id(tensor), 0.0), start)
    return Flops(
        per_step=operations,
        method=METHOD,
        bytes_per_step=moved,
        bytes_method=BYTES_METHOD,
        convolutions_per_step=convolved,
        least_per_step=least,
        depth=depth,
    )


def _recurrent_layer(call: Layer) -> Any:
    layer = getattr(call.layer, "forward_layer", call.layer)
    return layer if _kind(layer) in GATES else None


def _is_fused(call: Layer) -> bool:
    layer = _recurrent_layer(call)
    return call.fused and _kind(layer) in {"LSTM", "GRU"} and not no_cudnn(layer)


def _is_loop(call: Layer) -> bool:
    """Whether it leaves stacked outputs of a loop, through which no chain is followed."""
    layer = _recurrent_layer(call)
    return layer is not None and not layer.unroll and not _is_fused(call)


def _chain(call: Layer) -> float:
    """Products of a layer that wait for one another; see `Flops.depth`."""
    layer = _recurrent_layer(call)
    if layer is None:
        return CHAINS.get(_kind(call.layer), 1)
    return call.input[1] * (1 if getattr(layer, "reset_after", True) else 2)


# A step ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FlopResult:
    """What is known of a step's arithmetic.

    Attributes:
        flops: how many floating-point operations it has; None where that is not known.
        unknown: why not.
    """

    flops: Flops | None
    unknown: str = ""


def count_flops(engine: Engine, *, trained: bool, kinds: Collection[str] = ()) -> FlopResult:
    """Count the operations of a step over all replicas, and the bytes that they move.

    Args:
        engine: holds the model; each replica computes its share of the batch.
        trained: whether a step trains the model, or else calls it.
        kinds: names of operations of the step, which show whether cuDNN's kernels run.
    """
    replicas = engine.runtime.replicas
    fused = any(kind.startswith(FUSED) for kind in kinds)
    try:
        shapes = _input_shapes(engine, engine.problem.batch_size // replicas)
        flops = flops_of(calls_of(engine.model, shapes, fused=fused), trained=trained)
    except NotCountedError as error:
        return FlopResult(None, str(error))
    sums = ("per_step", "bytes_per_step", "convolutions_per_step", "least_per_step")
    scaled = {name: getattr(flops, name) * replicas for name in sums}
    kept = {"state_bytes": engine.state_bytes(), "batch_bytes": engine.batch_bytes()}
    return FlopResult(flops.model_copy(update=scaled | kept))


def _input_shapes(engine: Engine, batch: int) -> list[Shape]:
    """Shapes of what a replica's model is called with; sizes that it leaves open from the data."""
    from keras import ops, tree

    shapes = [tuple(tensor.shape)[1:] for tensor in engine.model.inputs]
    if any(None in shape for shape in shapes):
        resident = {
            name: ops.convert_to_tensor(array) for name, array in engine.problem.resident.items()
        }
        inputs, _ = engine.problem.take(resident, ops.convert_to_tensor([0], "int32"))
        shapes = [tuple(tensor.shape)[1:] for tensor in tree.flatten(inputs)]
    return [(batch, *map(int, shape)) for shape in shapes]
