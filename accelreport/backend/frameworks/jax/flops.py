"""Floating-point operations of a step, counted in the form in which JAX traced it.

XLA's own cost analysis counts the body of a loop once. Here a scan counts as often as it runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from accelreport.backend.flops import BYTES_METHOD, NEVER, CountError, FlopResult, after_turns
from accelreport.results.record import Flops

METHOD = (
    "counted in the traced step (jaxpr): convolutions and matrix products, forward and backward, "
    "scans as often as they run; a multiply-add is two operations, element-wise operations are "
    "left out"
)
"""How the operations were counted, for the record."""


Count = Callable[[Any], float]
"""An equation of a jaxpr → its operations, or bytes."""


def count_program(program: Any) -> FlopResult:
    """Count the operations of a step, and the bytes that they read and write.

    Args:
        program: a closed jaxpr.
    """
    kinds = frozenset(_kinds(program.jaxpr))
    try:
        flops = Flops(
            per_step=_total(program.jaxpr, COUNTS),
            method=METHOD,
            bytes_per_step=_total(program.jaxpr, MEMORY_BYTES),
            bytes_method=BYTES_METHOD,
            convolutions_per_step=_total(program.jaxpr, CONVOLUTIONS),
            least_per_step=_total(program.jaxpr, LEAST),
            depth=_depth(program.jaxpr, [0.0] * len(program.jaxpr.invars), 0.0)[1],
        )
    except CountError as error:
        return FlopResult(kinds, None, str(error))
    return FlopResult(kinds, flops)


def _kinds(jaxpr: Any) -> Iterator[str]:
    for equation in jaxpr.eqns:
        yield equation.primitive.name
        for inner in _inside(equation):
            yield from _kinds(inner)


def _inside(equation: Any) -> Iterator[Any]:
    """The jaxprs that an equation runs, whatever it calls them."""
    for value in equation.params.values():
        for each in value if isinstance(value, tuple | list) else (value,):
            inner = getattr(each, "jaxpr", each)  # a closed one holds an open one
            if hasattr(inner, "eqns"):
                yield inner


def _total(jaxpr: Any, counts: Mapping[str, Count]) -> float:
    return sum(_of_equation(equation, counts) for equation in jaxpr.eqns)


def _depth(jaxpr: Any, inputs: Sequence[float], base: float) -> tuple[list[float], float]:
    """Depths of the results, and the largest one; see `Flops.depth`."""
    depths = dict(zip(jaxpr.invars, inputs, strict=True))
    largest = NEVER

    def of(atom: Any) -> float:
        return base if hasattr(atom, "val") else depths.get(atom, base)

    for equation in jaxpr.eqns:
        before = [of(each) for each in equation.invars]
        results, most = _depth_of_equation(equation, before, base)
        largest = max(largest, most)
        depths.update(zip(equation.outvars, results, strict=True))
    return [of(each) for each in jaxpr.outvars], largest


def _depth_of_equation(
    equation: Any, before: Sequence[float], base: float
) -> tuple[Sequence[float], float]:
    name, inner = equation.primitive.name, list(_inside(equation))
    ready = max([base, *before])
    if name in COUNTS:
        ready += 1
    elif name == "scan":
        return _depth_of_scan(equation, inner[0], before, base)
    elif name == "cond":
        ways = [_depth(each, before[1:], max(base, before[0])) for each in inner]
        return [min(ends) for ends in zip(*(way for way, _ in ways), strict=True)], min(
            most for _, most in ways
        )
    elif len(inner) == 1 and len(inner[0].invars) == len(before):
        return _depth(inner[0], before, base)
    return [ready] * len(equation.outvars), ready


def _depth_of_scan(
    equation: Any, body: Any, before: Sequence[float], base: float
) -> tuple[Sequence[float], float]:
    """Carried values go from turn to turn; what is stacked up begins a chain anew."""
    first = equation.params["num_consts"]
    after = first + equation.params["num_carry"]

    def turn(inputs: Sequence[float], least: float) -> tuple[Sequence[float], float]:
        results, most = _depth(body, inputs, least)
        return [*inputs[:first], *results[: after - first], *inputs[after:]], most

    ends, most = after_turns(turn, before, base, equation.params["length"])
    stacked = len(equation.outvars) - (after - first)
    return [*ends[first:after], *[base] * stacked], most


def _of_equation(equation: Any, counts: Mapping[str, Count]) -> float:
    name = equation.primitive.name
    if name in counts:
        return counts[name](equation)
    inner = [_total(jaxpr, counts) for jaxpr in _inside(equation)]
    if name == "scan":
        return sum(inner) * float(equation.params["length"])
    if name == "cond":
        return max(inner)
    if name == "while" and sum(inner):
        raise CountError("how often a loop runs is not known before it has run")
    return sum(inner)


def _product(equation: Any) -> float:
    """Two operations for each number of the result and each number summed over."""
    (summed, _), _ = equation.params["dimension_numbers"]
    first, result = equation.invars[0].aval.shape, equation.outvars[0].aval.shape
    return float(2 * math.prod(result) * math.prod(first[axis] for axis in summed))


def _convolution(equation: Any) -> float:
    """Two operations for each place of the kernel at each place of the input or of the result.

    A gradient is a convolution with holes or wide borders, in which most products are with a
    zero that is not there: the smaller of the two counts is that of the convolution it belongs
    to.
    """
    numbers = equation.params["dimension_numbers"]
    inputs, kernel = (each.aval.shape for each in equation.invars[:2])
    result = equation.outvars[0].aval.shape
    place = _places(kernel, numbers.rhs_spec)
    features_out, features_in = (kernel[axis] for axis in numbers.rhs_spec[:2])
    by_result = math.prod(result) * features_in
    by_input = math.prod(inputs) * features_out / equation.params["feature_group_count"]
    return float(2 * place * min(by_result, by_input))


def _places(shape: Sequence[int], axes: Sequence[int]) -> int:
    """How many places there are in an image or a kernel, whose axes begin with two others."""
    return math.prod(shape[axis] for axis in axes[2:])


def _least_convolution(equation: Any) -> float:
    """One product for each input channel; in a gradient by the kernel, the result is the kernel."""
    numbers, result = equation.params["dimension_numbers"], equation.outvars[0].aval.shape
    kernel = equation.invars[1].aval.shape
    saved = min(_places(kernel, numbers.rhs_spec), _places(result, numbers.out_spec))
    return _convolution(equation) / saved


def _operands(equation: Any) -> float:
    """Bytes of all inputs and outputs."""
    ends = [each.aval for each in (*equation.invars, *equation.outvars)]
    return float(sum(math.prod(end.shape) * end.dtype.itemsize for end in ends))


def _unknown(equation: Any) -> float:
    raise CountError(f"{equation.primitive.name!r} is a kernel whose operations are not told")


_UNTOLD: dict[str, Count] = dict.fromkeys(("rnn", "rnn_fwd", "rnn_bwd", "pallas_call"), _unknown)

COUNTS: dict[str, Count] = {
    "dot_general": _product,
    "conv_general_dilated": _convolution,
    **_UNTOLD,
}
"""What each operation with arithmetic of its own counts."""

MEMORY_BYTES: dict[str, Count] = {
    "dot_general": _operands,
    "conv_general_dilated": _operands,
    **_UNTOLD,
}
"""The bytes of the same operations, as those of TensorFlow are counted."""

CONVOLUTIONS: dict[str, Count] = {"conv_general_dilated": _convolution}
"""Those of the operations that are convolutions."""

LEAST: dict[str, Count] = COUNTS | {"conv_general_dilated": _least_convolution}
"""All of them, convolutions with the products that no fast algorithm spares: see `ceilings`."""
