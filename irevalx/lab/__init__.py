"""The experiments of irevalx-lab: how far a measure can be trusted when judgments are incomplete."""

PROGRAM = "irevalx-lab"
