import csv

total = 0.0
with open("trails.csv", encoding="utf-8") as table:
    for row in csv.DictReader(table):
        if row["status"] == "open":
            total += float(row["km"])
print("open trails:", total, "km")
