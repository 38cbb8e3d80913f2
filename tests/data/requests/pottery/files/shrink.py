# how big to throw a piece so that it fires to the wanted size
SHRINK = 0.125


def wet_size(fired_cm):
    return fired_cm / (1 - SHRINK)


if __name__ == "__main__":
    for cm in (7, 14, 21):
        print(cm, wet_size(cm))
