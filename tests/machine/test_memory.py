"""What is said about the memory of a process is of that process."""

import subprocess
import sys

from accelreport.machine.memory import own_peak_bytes, peak_bytes

PEAK = "from accelreport.machine.memory import own_peak_bytes; print(own_peak_bytes())"


def test_the_peak_of_a_small_process_is_small_however_large_its_parent_was() -> None:
    held = bytearray(400 * 2**20)
    assert own_peak_bytes() > len(held)
    child = subprocess.run([sys.executable, "-c", PEAK], check=True, capture_output=True, text=True)
    assert 2**20 < int(child.stdout) < 100 * 2**20


def test_a_process_that_has_ended_has_no_peak_to_be_read() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert peak_bytes(ended.pid) is None
