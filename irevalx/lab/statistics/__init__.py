"""What scores say: agreement of two scorings, tests, comparisons of runs, swap rates."""
