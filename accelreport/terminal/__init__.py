"""What a person, or a program, sees in the terminal."""
