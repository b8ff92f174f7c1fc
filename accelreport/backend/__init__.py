"""The only room that knows TensorFlow: devices, strategies, the timed loop, the child process."""
