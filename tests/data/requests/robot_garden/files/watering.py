"""How much water the plants get."""


def litres(height_cm):
    """Litres for one plant."""
    return round(height_cm / 20)


def is_dry(percent):
    """True if the soil needs water."""
    return percent < 30


def total(heights):
    """All the litres for a list of heights."""
    return sum(litres(h) for h in heights)


def report(name, percent):
    """One line about a bed."""
    state = "dry" if is_dry(percent) else "fine"
    return f"{name}: {percent} % ({state})"
