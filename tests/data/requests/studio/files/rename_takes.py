#!/usr/bin/env python3
# gives takes a tidy name: "Zout 2.wav" -> "zout_take2.wav"
import sys

SUFFIX = ".wav"


def tidy(name):
    stem = name[:-len(SUFFIX)]
    song, number = stem.rsplit(" ", 1)
    return song.lower().replace(" ", "_") + "_take" + number + SUFFIX


def main():
    for name in sys.argv[1:]:
        print(tidy(name))


if __name__ == "__main__":
    main()
