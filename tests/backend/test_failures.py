"""How an exception is told."""

import errno
import resource
from collections.abc import Iterator

import pytest

from accelreport.backend.failures import NoDeviceError, failure
from accelreport.backend.main import NotConvergedError, require_target
from accelreport.backend.training import NanLossError
from accelreport.errors import AccelReportError
from accelreport.results.record import Epoch, Record
from accelreport.spec.models import Measure, Target
from tests.support import children


class ResourceExhaustedError(Exception):
    """Named like TensorFlow's: failures are told apart without importing it."""


class OutOfMemoryError(RuntimeError):
    """Named like PyTorch's."""


class DataGoneError(AccelReportError):
    kind = "data-unavailable"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MemoryError(), "oom-host"),
        (ResourceExhaustedError("OOM on /job:localhost/device:GPU:0"), "oom-device"),
        (ResourceExhaustedError("OOM on /job:localhost/device:CPU:0"), "oom-host"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "oom-host"),
        (RuntimeError("std::bad_alloc"), "oom-host"),
        (NanLossError("the loss was nan"), "nan-loss"),
        (NoDeviceError("TensorFlow sees 0 GPUs"), "no-device"),
        (ModuleNotFoundError("No module named 'tensorflow'"), "no-framework"),
        (RuntimeError("XLA compilation failed"), "compile-error"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "oom-host"),
        (OutOfMemoryError("CUDA out of memory"), "oom-device"),
        (ZeroDivisionError("division by zero"), "harness-error"),
    ],
)
def test_each_cause_has_its_kind(error: Exception, kind: str) -> None:
    assert failure(error).kind == kind


@pytest.fixture
def unlimited_but_in_name() -> Iterator[None]:
    """A limit of this process' memory that nothing meets."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**46, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


NEEDS_A_LIMIT = [
    ImportError("libtensorflow_cc.so.2: failed to map segment from shared object"),
    RuntimeError("can't start new thread"),
    RuntimeError("could not create a primitive"),
]


@pytest.mark.parametrize("error", NEEDS_A_LIMIT)
@pytest.mark.usefixtures("unlimited_but_in_name")
def test_what_libraries_say_at_a_limit_of_memory_is_told_with_the_limit(error: Exception) -> None:
    told = failure(error)
    assert told.kind == "oom-host"
    assert "ulimit -v" in told.remedy


@pytest.mark.parametrize("error", NEEDS_A_LIMIT)
def test_without_a_limit_their_words_prove_nothing(error: Exception) -> None:
    assert failure(error).kind in {"no-framework", "harness-error"}


def test_our_own_errors_keep_cause_and_remedy() -> None:
    told = failure(DataGoneError("MNIST is not here", why="no cache", remedy="fetch it"))
    assert told.kind == "data-unavailable"
    assert told.message == "MNIST is not here (no cache)"
    assert told.remedy == "fetch it"


def test_an_unforeseen_error_names_its_class_and_its_place() -> None:
    with pytest.raises(KeyError) as caught:
        dict[str, int]()["weights"]
    told = failure(caught.value)
    assert told.message.startswith("KeyError")
    assert "test_failures.py" in told.traceback


def test_a_message_of_megabytes_and_half_a_character_are_kept_so_that_a_file_can_hold_them() -> (
    None
):
    told = failure(ValueError("\udc80" + "x" * 20_000_000))
    assert told.message.startswith("ValueError: \\udc80xxx")
    assert len(told.message) + len(told.traceback) < 30_000
    assert b"udc80" in told.model_dump_json().encode()


def test_an_error_inside_a_graph_is_told_by_what_happened_and_not_where() -> None:
    error = RuntimeError(
        "Graph execution error:\n\nDetected at node while/Call defined at (most recent call "
        'last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n\n'
        '  File "loop.py", line 7, in train\n\n2 root error(s) found.\n'
        "Matrix size-incompatible: In[0]: [3,4]\n\t [[{{node MatMul}}]]"
    )
    told = failure(error)
    assert told.message == "RuntimeError: Matrix size-incompatible: In[0]: [3,4]"


def test_a_metric_of_nothing_at_all_has_a_value() -> None:
    target = Target(metric="loss", at_most=0.1, required=True)
    what = children.cell("image_classification", {}, measure=Measure(target=target))
    times = {"train_s": 1.0, "evaluate_s": 0.0, "elapsed_s": 1.0}
    epoch = Epoch(epoch=1, steps=1, metrics={"loss": 0.0}, **times)
    record = Record(
        cell=what,
        key=what.key,
        status="ok",
        started_at="2025-01-01T00:00:00.000+00:00",
        finished_at="2025-01-01T00:00:01.000+00:00",
        epochs=[epoch],
        samples_per_step=1,
    )
    require_target(record)
    none_right = target.model_copy(update={"metric": "accuracy", "at_least": 0.5, "at_most": None})
    measured = what.measure.model_copy(update={"target": none_right})
    unlearned = record.model_copy(
        update={
            "cell": what.model_copy(update={"measure": measured}),
            "epochs": [epoch.model_copy(update={"metrics": {"accuracy": 0.0}})],
        }
    )
    with pytest.raises(NotConvergedError, match="the best of 1 epochs was 0"):
        require_target(unlearned)
