"""Weigh hives and say how much they gained."""

import json
from functools import cache


class Scale:
    """A scale under a hive."""

    def __init__(self, hive):
        self.hive = hive
        self.kg = []

    def add(self, kg):
        self.kg.append(kg)

    @property
    def gain(self):
        return round(self.kg[-1] - self.kg[0], 1)


@cache
def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def gains(rows):
    scales = {}
    for row in rows:
        scales.setdefault(row["hive"], Scale(row["hive"])).add(row["kg"])
    return {name: scale.gain for name, scale in scales.items()}


if __name__ == "__main__":
    print(gains(read("scale.jsonl")))
