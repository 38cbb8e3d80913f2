import csv

planned = 0
paid = 0
with open("budget.csv") as f:
    for row in csv.DictReader(f):
        planned += int(row["planned"])
        paid += int(row["paid"])

print("planned:", planned)
print("paid:", paid)
print("left to pay:", planned - paid)
