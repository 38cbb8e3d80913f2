import csv

total = 0.0
unpaid = 0.0
with open("invoices.csv", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        amount = float(row["amount"])
        total += amount
        if row["paid"] == "no":
            unpaid += amount

print("Total: %.2f EUR" % total)
print("Unpaid: %.2f EUR" % unpaid)
