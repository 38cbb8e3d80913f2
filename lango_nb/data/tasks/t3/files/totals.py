# adds up the stall fees
import csv

paid = 0
unpaid = 0
with open("stalls.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        if row["paid"] == "yes":
            paid += int(row["fee"])
        else:
            unpaid += int(row["fee"])
print("paid:", paid)
print("open:", unpaid)
# TODO: also check last year's list
