"""Statistics of scores: agreement of two scorings, significance tests, comparisons of runs, swap rates."""
