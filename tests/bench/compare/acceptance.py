"""What the comparison must show: whole models and components against what users call, as lines with yes, no or open.

A cell in which kadvise's column failed, or that was lost, is one where kadvise did not hold. "open" is a line that the
missing cells may still decide.
"""
import dataclasses

import cells
import results

NO_SLOWER = 0.98  # of the best rival, in every cell: an interval may reach below it, not lie below it
# (models or components, dtype, column): the least geometric mean
MEANS = {
    ("models", "bfloat16", "reduce-overhead"): 1.3, ("models", "float32", "reduce-overhead"): 1.05,
    ("models", "bfloat16", "eager"): 5.0, ("models", "float32", "eager"): 2.0,
    ("components", "bfloat16", "best"): 1.3, ("components", "float32", "best"): 1.05,
}
COMPONENTS_OVER_EAGER = {"attention": 3.7, "block": 3.2, "layer-norm": 3.0}  # geometric means in bfloat16


@dataclasses.dataclass
class Line:
    text: str
    kept: str  # "yes", "no" or "open"


def no_slower(what, rows, table):
    """Every cell of the table, for one that lies below decides."""
    slower = [row.cell.id for row in rows if not row.is_at_least(NO_SLOWER)]
    missing = len(table) - len(rows)
    kept = "no" if slower else "open" if missing else "yes"
    there = f" ({missing} not measured)" if missing else ""
    which = f": {', '.join(slower)}" if slower else ""
    return Line(f"{what} below {NO_SLOWER:.2f}x the best of {', '.join(results.RIVALS)}: {len(slower)} of {len(table)}"
                f"{there}; none is wanted{which}", kept)


def mean(what, rows, table, column, least):
    """The geometric mean over a column, of the cells in which there is one; open until every cell has been measured."""
    value = results.mean_over(rows, column)
    unheld = sum("kadvise" not in row.us for row in rows)
    without = sum("kadvise" in row.us and (row.best if column == "best" else column) not in row.us for row in rows)
    missing = len(table) - len(rows)
    kept = "open" if missing else "yes" if value and value[1] >= least and not unheld else "no"
    figure = "-" if value is None else "{1:.2f}x [{0:.2f} {2:.2f}]".format(*value)
    notes = [f"{n} {why}" for n, why in ((missing, "not measured"), (unheld, "without kadvise"),
                                          (without, f"without {column}")) if n]
    return Line(f"{what}: {figure}{' (' + ', '.join(notes) + ')' if notes else ''}; {least:.2f}x is wanted", kept)


def lines(rows):
    table = cells.whole_table()
    groups = {"models": [c for c in table if not c.is_component], "components": [c for c in table if c.is_component]}

    def of(wanted):
        return [row for row in rows if row.cell in wanted]

    out = [no_slower(what, of(members), members) for what, members in groups.items()]
    for (what, dtype, column), least in MEANS.items():
        wanted = [c for c in groups[what] if c.dtype == dtype]
        over = "the best" if column == "best" else column
        out.append(mean(f"{what} in {dtype} over {over}", of(wanted), wanted, column, least))
    for name, least in COMPONENTS_OVER_EAGER.items():
        wanted = [c for c in groups["components"] if c.subject == name and c.dtype == "bfloat16"]
        out.append(mean(f"{name} in bfloat16 over eager", of(wanted), wanted, "eager", least))
    return out
