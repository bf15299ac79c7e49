"""What experiments share: runs ranked once, samples, strata, pools, groups of runs, labels from elsewhere; no click."""
