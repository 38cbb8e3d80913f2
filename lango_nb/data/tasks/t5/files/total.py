import csv
total = 0.0
with open("budget.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        total += float(row["amount"])
print(f"Total: {total:.2f}")
