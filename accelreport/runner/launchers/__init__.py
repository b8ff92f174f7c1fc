"""Where cells are measured: on this machine, or on machines that somebody's engine hands out."""
