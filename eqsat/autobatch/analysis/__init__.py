"""What is true of a program: which variables live where, and of which type they are."""
