"""From spec files to checked specs: the families of workloads, and the spec models below them."""
