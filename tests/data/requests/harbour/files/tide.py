# high water at the lock: one tide every 12 h 25 min
import sys

FIRST = 4 * 60 + 20
STEP = 12 * 60 + 25

days = int(sys.argv[1]) if len(sys.argv) > 1 else 1
t = FIRST
while t < days * 1440:
    print(f"day {t // 1440 + 1}  {t % 1440 // 60:02d}:{t % 60:02d}")
    t += STEP
