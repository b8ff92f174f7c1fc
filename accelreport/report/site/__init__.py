"""The site: from benchmarks' views to a folder of pages, one file, or a server on this machine."""
