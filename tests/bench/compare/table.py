#!/usr/bin/env python3
"""Prints what run.py has measured: times, how many times as fast kadvise is, and whether that is what is wanted.

  table.py DIR [--advice] [--costs] [--plot FILE.svg]

Times are medians of a call in milliseconds, on the wall. "over the best" is the speed of kadvise's module over that of
the fastest of frozen, graph, compile and reduce-overhead, with "!" where it is slower; a control is kadvise's module
against itself. cells.py says what the columns are.
"""
import argparse
import sys

import acceptance
import advice_list
import cells
import costs
import plot
import results

WIDTH = 16
SHORT = {"failed": "failed", "not-here": "-", "wrong-results": "wrong", "": ""}


def interval(values):
    return "-" if not values else f"{values[1]:.2f} [{values[0]:.2f} {values[2]:.2f}]"


def header():
    names = "".join(f"{name:>{WIDTH}}" for name in cells.COLUMNS)
    return f"{'cell':34}{names}   {'over the best':38}{'over eager':22}control"


def line(row):
    if "lost" in row.document:
        return f"{row.cell.id:34}   lost: {row.document['lost']}"
    times = "".join(f"{row.us[name] / 1000:{WIDTH}.4f}" if name in row.us else f"{SHORT.get(row.state(name), ''):>{WIDTH}}"
                    for name in cells.COLUMNS)
    mark = " !" if row.over_best and not row.is_at_least(1) else ""
    best = f"{interval(row.over_best)} {row.best}{mark}"
    return f"{row.cell.id:34}{times}   {best:38}{interval(row.over.get('eager')):22}{interval(row.over.get('control'))}"


def mean_line(name, rows):
    figures = {column: results.mean_over(rows, column) for column in (*results.RIVALS, "best", "eager")}
    said = ", ".join(f"{column} {interval(value)}" for column, value in figures.items() if value)
    return f"geometric mean over {name} ({len(rows)}): {said}" if said else ""


def means(name, rows):
    groups = {name: rows, **{f"{name} in {dtype}": [r for r in rows if r.cell.dtype == dtype] for dtype in cells.DTYPES}}
    groups |= {subject: [r for r in rows if r.cell.subject == subject] for subject in cells.COMPONENTS}
    return [text for group, members in groups.items() if members and (text := mean_line(group, members))]


def remarks(row):
    """What the figures do not show: columns that failed, and where kadvise wrote no module."""
    document = row.document
    for name, column in document.get("columns", {}).items():
        if column["state"] == "failed":
            yield f"{row.cell.id}, {name}: {column['reason']}"
        if column["state"] == "wrong-results":
            yield f"{row.cell.id}, {name}: results differ from eager's by {column['error']:.2g} (relative)"
    advice = document.get("advice")
    if advice and advice["seconds"] and not advice["written"]:
        yield f"{row.cell.id}, kadvise wrote no module: {advice['reason']}"


def where(rows):
    """The lines without which a figure means nothing."""
    seen = {}
    for row in rows:
        environment = row.document.get("environment")
        if environment:
            key = tuple(environment[name] for name in ("device", "torch", "mode", "float32Matmul", "cudnnTf32"))
            seen.setdefault(key, []).append(row)
    commands = dict.fromkeys(row.document.get("command", "") for row in rows)
    return [f"command: {command}" for command in commands if command] + [
        f"device:  {device}, torch {torch}, {mode}, float32 products {matmul}, TF32 in convolutions {'on' if tf32 else 'off'} "
        f"({len(members)} cells)" for (device, torch, mode, matmul, tf32), members in seen.items()]


def seconds(rows):
    """Where the time of the comparison itself goes, and kadvise's own."""
    parts = [row.document["seconds"] for row in rows if "seconds" in row.document]
    if not parts:
        return []
    total = {name: sum(part[name] for part in parts) for name in parts[0]}
    return ["seconds of all cells: " + ", ".join(f"{name} {value:.0f}" for name, value in total.items())
            + f"; the longest cell {max(sum(part.values()) for part in parts):.0f}"]


def legend():
    return [f"{name + ':':16} {meaning}" for name, meaning in cells.MEANING.items()]


def text_of(rows):
    out = [*where(rows), "", *legend()]
    for name in cells.GROUPS:
        members = [row for row in rows if row.cell.group == name]
        if members:
            out += ["", name, header(), *map(line, members), *means(name, members)]
    notes = [note for row in rows for note in remarks(row)]
    out += ["", *notes] if notes else []
    out += ["", *seconds(rows), "", "what is wanted"]
    return out + [f"{found.kept:5} {found.text}" for found in acceptance.lines(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--advice", action="store_true", help="also what kadvise applied, tried and refused in each model")
    parser.add_argument("--costs", action="store_true", help="also what it takes until a column is ready, and memory")
    parser.add_argument("--plot", metavar="FILE.svg")
    args = parser.parse_args()
    rows = results.load(args.folder)
    if not rows:
        print(f"{args.folder} holds no cell; run.py --out {args.folder} measures them")
        return 2
    print("\n".join(text_of(rows)))
    if args.advice:
        print("\n" + "\n".join(advice_list.lines(rows)))
    if args.costs:
        print("\n" + "\n".join(costs.lines(rows)))
    if args.plot:
        with open(args.plot, "w") as file:
            file.write(plot.svg(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
