"""Mean water temperature per station."""
import csv
import os

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "measurements.csv")


def load(path):
    with open(path, newline="") as handle:
        return list(csv.DictReader(handle))


def means(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["station"], []).append(float(row["water_temp_c"]))
    return {name: sum(v) / len(v) for name, v in groups.items()}


if __name__ == "__main__":
    # TODO: also report pH
    for name, value in means(load(DATA)).items():
        print(f"{name}: {value:.2f} C")
