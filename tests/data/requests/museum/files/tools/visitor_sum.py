import csv

adults = 0
children = 0
with open("visitors.csv") as f:
    for row in csv.DictReader(f):
        adults += int(row["adults"])
        children += int(row["children"])

print("adults:", adults)
print("children:", children)
print("total:", adults + children)
