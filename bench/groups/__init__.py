"""What is measured, a file for each part. Each has NAME, ABOUT and run(bench, python, store)."""
