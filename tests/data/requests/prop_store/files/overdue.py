"""List hired items that should be back by now.

Usage: python3 overdue.py [YYYY-MM-DD]
"""
import csv
import sys

day = sys.argv[1] if len(sys.argv) > 1 else "2025-03-01"

late = []
with open("loans.csv", newline="") as f:
    for row in csv.DictReader(f):
        if not row["returned"] and row["due"] < day:
            late.append(row)

for row in late:
    print(row["loan"], row["item"], row["borrower"], "due", row["due"])
print(len(late), "overdue on", day)
