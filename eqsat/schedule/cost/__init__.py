"""What a kernel under given loops is predicted to take, and how good such predictions are."""
