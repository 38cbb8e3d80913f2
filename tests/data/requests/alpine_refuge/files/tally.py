"""Count the people in bookings.csv."""
import csv


def people(path="bookings.csv"):
    with open(path, encoding="utf-8") as f:
        return sum(int(row["people"]) for row in csv.DictReader(f))


if __name__ == "__main__":
    print("people:", people())
