import csv

total = 0
money = 0
with open("tickets.csv") as f:
    for row in csv.DictReader(f):
        total += int(row["sold"])
        money += int(row["sold"]) * int(row["price"])
print("tickets sold:", total)
print("revenue:", money, "EUR")
