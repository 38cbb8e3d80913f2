import csv
from collections import Counter

with open("data/measurements.csv", newline="") as f:
    rows = list(csv.DictReader(f))
species = Counter(r["species"] for r in rows)
print("animals:", len(rows))
for name, n in sorted(species.items()):
    print(name, n)
heaviest = max(rows, key=lambda r: float(r["mass_g"]))
print("heaviest:", heaviest["id"], heaviest["mass_g"])
