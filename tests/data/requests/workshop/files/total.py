# adds up the orders for each mechanic
import csv

sums = {}
with open("orders.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        sums[row["mechanic"]] = sums.get(row["mechanic"], 0) + float(row["price"])
for name in sorted(sums):
    print(f"{name}: {sums[name]:.2f}")
print(f"Total: {sum(sums.values()):.2f}")
