"""timing_campaigns.py FILE...: the table of what timing_campaigns has written, and whether it keeps to its bounds.

At most 1 control in 100 may be called faster or slower, 57 of 60 slow-downs of 5 % must be found, none of 2 % may be called
faster, and the half-width of the interval at 100 us is at most 1 %.
"""

import json
import math
import statistics
import sys


def rows(files):
    seen = {}
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                seen[row["campaign"]] = row
    return [seen[number] for number in sorted(seen)]


def count(group, kind, *outcomes):
    return sum(r["outcome"] in outcomes for r in group if r["kind"] == kind)


def of(group, kind):
    return sum(r["kind"] == kind for r in group)


def half_widths(group):
    return [50 * math.log(r["high"] / r["low"]) for r in group if r["low"]]


def centres(group):
    return [abs(100 * math.log(r["mid"])) for r in group if r["kind"] == "control" and r["mid"]]


def line(name, group):
    time = statistics.median(r["us"] for r in group)
    widths, offsets = half_widths(group) or [math.nan], centres(group) or [math.nan]
    return (f"{name:28} {time:9.1f} {count(group, 'control', 'faster', 'slower'):3}/{of(group, 'control'):<4} "
            f"{count(group, 'control', 'same'):4} {count(group, 'control', 'ambiguous'):4} "
            f"{statistics.median(widths):6.2f} {max(widths):6.2f} {max(offsets):6.2f} "
            f"{count(group, '5 %', 'slower'):3}/{of(group, '5 %'):<3} {count(group, '2 %', 'faster'):3}/{of(group, '2 %'):<3} "
            f"{statistics.mean(r['units'] for r in group):5.0f} {sum(r['repeated'] for r in group):5} "
            f"{statistics.mean(r['seconds'] for r in group):5.2f}")


def main():
    results = rows(sys.argv[1:])
    names = list(dict.fromkeys(r["module"] for r in results))
    print(f"{'module':28} {'us':>9} {'false':>8} {'same':>4} {'amb.':>4} {'+-% med':>6} {'max':>5} {'off %':>6} "
          f"{'5 % found':>7} {'2 % wrong':>6} {'units':>5} {'again':>5} {'s':>4}")
    for name in names:
        print(line(name, [r for r in results if r["module"] == name]))
    print(line("all", results))
    print(f"{sum(r['seconds'] for r in results):.0f} s in all")
    at_100 = [w for name in names for group in [[r for r in results if r["module"] == name]]
              if 60 < statistics.median(r["us"] for r in group) < 200 for w in half_widths(group)]
    false, controls = count(results, "control", "faster", "slower"), of(results, "control")
    found, fives = count(results, "5 %", "slower"), of(results, "5 %")
    wrong, width = count(results, "2 %", "faster"), statistics.median(at_100) if at_100 else math.nan
    kept = false <= controls / 100 and found >= fives * 57 / 60 and wrong == 0 and not width > 1
    print(f"{false} of {controls} controls called faster or slower; 5 % found in {found} of {fives}; 2 % called faster in "
          f"{wrong}; half-width near 100 us {width:.2f} %: {'within' if kept else 'NOT within'} the bounds")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
