"""Unpaid invoices of one month: python3 open_invoices.py invoices/2024-05.csv"""
import csv
import sys

count = 0
total = 0.0
with open(sys.argv[1], newline="") as f:
    for row in csv.DictReader(f):
        if row["paid"] == "no":
            count += 1
            total += float(row["amount"])
print(f"{count} open, {total:.2f} EUR")
