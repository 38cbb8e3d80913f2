import csv

with open("trips.csv") as f:
    rows = list(csv.DictReader(f))

minutes = [int(r["minutes"]) for r in rows]
print("trips:", len(rows))
print("minutes in total:", sum(minutes))
print("longest trip:", max(minutes))
