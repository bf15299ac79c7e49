"""What makes a function a command of irevalx-lab: its options, its inputs, its output."""
