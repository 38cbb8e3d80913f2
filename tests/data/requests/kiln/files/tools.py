"""Small helpers for the shop."""
import csv


def gross_price(net, rate=0.19):
    """Return the price with tax."""
    return round(net * (1 + rate), 2)


def shorten(text, length=20):
    """Cut a text and put three dots at the end."""
    if len(text) <= length:
        return text
    return text[:length] + "..."


def read_orders(path):
    """Read the orders from a CSV file."""
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))


def unpaid(orders):
    """Return the orders that are not paid yet."""
    return [order for order in orders if order["paid"] == "no"]
