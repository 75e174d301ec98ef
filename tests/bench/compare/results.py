"""The cells that a folder holds, with the figures that are judged: medians, and how many times as fast kadvise is."""
import dataclasses
import json
import os
import statistics

import cells
import ratios

# What a user gets without kadvise. Eager is what they start from, and autotuning exists for few cells.
RIVALS = ("frozen", "graph", "compile", "reduce-overhead")


@dataclasses.dataclass
class Row:
    cell: cells.Cell
    document: dict
    us: dict  # column -> median time of a call
    over: dict  # column -> (low, median, high): how many times as fast kadvise is; "control" is kadvise itself
    best: str  # the fastest rival; "" where none was timed

    def state(self, column):
        return self.document.get("columns", {}).get(column, {}).get("state", "")

    @property
    def over_best(self):
        return self.over.get(self.best)

    def is_at_least(self, share):
        """Of the best rival's speed, as far as can be told: the interval may touch it."""
        return bool(self.over_best) and self.over_best[2] >= share


def row_of(cell, document):
    samples = {name: taken["wallUs"] for name, taken in document.get("samples", {}).items()}
    us = {name: statistics.median(values) for name, values in samples.items()}
    over = {name: ratios.speedup(samples["kadvise"], values) for name, values in samples.items()
            if name != "kadvise"} if "kadvise" in samples else {}
    rivals = [name for name in RIVALS if name in us]
    return Row(cell, document, us, over, min(rivals, key=us.get) if rivals else "")


def load(folder):
    """Rows in the order of the table."""
    known = cells.whole_table() + cells.other_table() + cells.tiny_table()
    rows = []
    for cell in known:
        path = os.path.join(folder, cell.id + ".json")
        if os.path.exists(path):
            with open(path) as file:
                rows.append(row_of(cell, json.load(file)))
    return rows


def mean_over(rows, column):
    """The geometric mean of kadvise's speed over a column's, or over the best rival's, between the means of the intervals'
    lower and upper ends, which is wider than an interval of the mean; None where no row has it."""
    found = [row.over_best if column == "best" else row.over.get(column) for row in rows]
    ends = list(zip(*[interval for interval in found if interval]))
    return tuple(ratios.geometric_mean(values) for values in ends) if ends else None
