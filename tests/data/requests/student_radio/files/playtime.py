"""Prints number of tracks and total length of a playlist.

usage: python3 playtime.py playlists/morning_mix.csv
"""
import csv
import sys


def seconds(length):
    minutes, secs = length.split(":")
    return int(minutes) * 60 + int(secs)


with open(sys.argv[1], newline="", encoding="utf-8") as f:
    rows = list(csv.DictReader(f))

total = sum(seconds(r["length"]) for r in rows)
print(f"{len(rows)} tracks, {total // 60}:{total % 60:02d}")
