import csv
total = 0
with open("observations.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        total += int(row["minutes"])
print("minutes at the telescope:", total)
