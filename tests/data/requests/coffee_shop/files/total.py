import csv

with open("menu.csv", newline="") as f:
    rows = list(csv.DictReader(f))

sold = sum(int(r["sold"]) for r in rows)
takings = sum(float(r["price"]) * int(r["sold"]) for r in rows)

print("items:", len(rows))
print("sold:", sold)
print("takings:", f"{takings:.2f}")
