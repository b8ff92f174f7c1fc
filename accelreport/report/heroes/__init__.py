"""What a benchmark found, in one picture and one sentence: its hero, one module for each form."""
