import csv
import sys

# prints cost and number of shipments for each carrier
def totals(path):
    result = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            count, cost = result.get(row["carrier"], (0, 0.0))
            result[row["carrier"]] = (count + 1, cost + float(row["cost_eur"]))
    return result

path = sys.argv[1] if len(sys.argv) > 1 else "shipments_march.csv"
# TODO: read the currency from settings.json
for carrier, (count, cost) in sorted(totals(path).items()):
    print(f"{carrier}: {count} shipments, {cost:.2f} EUR")
# TODO: add the average weight
