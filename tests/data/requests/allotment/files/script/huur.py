import csv

with open("leden.csv", encoding="utf-8") as source:
    rows = list(csv.DictReader(source))


def total(rows):
    return sum(float(row["huur"]) for row in rows)


print("totaal", total(rows))
print("open", total([row for row in rows if row["betaald"] == "nee"]))
