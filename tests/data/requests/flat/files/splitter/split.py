"""Adds up who has paid how much in the house."""
import csv
from pathlib import Path

BILLS = Path(__file__).resolve().parent.parent / "bills" / "bills.csv"


def totals(path):
    paid = {}
    with open(path, encoding="utf-8") as f:
        for row in csv.DictReader(f):
            paid[row["paid_by"]] = paid.get(row["paid_by"], 0) + float(row["amount"])
    return paid


if __name__ == "__main__":
    paid = totals(BILLS)
    for name in sorted(paid):
        print(f"{name} paid {paid[name]:.2f}")
    # TODO: also print who owes whom
    print(f"everybody's share: {sum(paid.values()) / 5:.2f}")
