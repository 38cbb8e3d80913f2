"""The ways to hand work over."""
