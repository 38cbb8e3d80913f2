"""Lists the parts that are below their minimum stock."""
import csv
import os

here = os.path.dirname(os.path.abspath(__file__))
path = os.path.join(here, "..", "spare parts.csv")

low = 0
with open(path, encoding="utf-8") as f:
    for row in csv.DictReader(f):
        if int(row["stock"]) < int(row["min_stock"]):
            low += 1
            print(f"LOW {row['sku']} {row['part']}: {row['stock']} of {row['min_stock']}")
print(f"{low} parts to order")
