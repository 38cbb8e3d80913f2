import csv

LIMIT = 500


def worth(row):
    return float(row["grams"]) / 100 * float(row["price_per_100g"])


with open("stock.csv", encoding="utf-8") as source:
    rows = list(csv.DictReader(source))
print("worth", round(sum(map(worth, rows)), 2))
print("low", [row["tea"] for row in rows if int(row["grams"]) < LIMIT])
