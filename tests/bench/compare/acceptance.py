"""What the comparison must show: whole models and components against what users call, as lines with yes, no or open.

A cell in which kadvise's column failed, or that was lost, is one where kadvise did not hold. "open" is a line that the
missing cells may still decide.
"""
import dataclasses

import cells
import results

MODELS_NO_SLOWER = 7
MODELS_OVER_REDUCE_OVERHEAD = 1.15
MODELS_OVER_EAGER = 4.0
COMPONENTS_NO_SLOWER = 0.8
COMPONENTS_OVER_EAGER = {"attention": 3.7, "block": 3.2, "layer-norm": 3.0}


@dataclasses.dataclass
class Line:
    text: str
    kept: str  # "yes", "no" or "open"


def counted(what, rows, table, needed):
    """At least `needed` cells of the table are no slower than the best rival."""
    good = sum(row.is_no_slower for row in rows)
    missing = len(table) - len(rows)
    kept = "yes" if good >= needed else "open" if good + missing >= needed else "no"
    there = f", {missing} not measured" if missing else ""
    return Line(f"{what} no slower than the best of {', '.join(results.RIVALS)}: {good} of {len(table)}{there}; "
                f"{needed} are wanted", kept)


def mean(what, rows, table, column, least):
    """The geometric mean over a column, of the cells in which there is one; open until every cell has been measured."""
    value = results.mean_over(rows, column)
    unheld = sum("kadvise" not in row.us for row in rows)
    without = sum("kadvise" in row.us and column not in row.us for row in rows)
    missing = len(table) - len(rows)
    kept = "open" if missing else "yes" if value and value[1] >= least and not unheld else "no"
    figure = "-" if value is None else "{1:.2f}x [{0:.2f} {2:.2f}]".format(*value)
    notes = [f"{n} {why}" for n, why in ((missing, "not measured"), (unheld, "without kadvise"),
                                          (without, f"without {column}")) if n]
    return Line(f"{what} over {column}: {figure}{' (' + ', '.join(notes) + ')' if notes else ''}; {least:.2f}x is wanted", kept)


def lines(rows):
    table = cells.whole_table()
    models, components = ([c for c in table if c.is_component == flag] for flag in (False, True))

    def of(wanted):
        return [row for row in rows if row.cell in wanted]

    def in_bfloat16(wanted):
        return [c for c in wanted if c.dtype == "bfloat16"]

    out = [counted("models", of(models), models, MODELS_NO_SLOWER),
           mean("models", of(models), models, "reduce-overhead", MODELS_OVER_REDUCE_OVERHEAD),
           mean("models in bfloat16", of(in_bfloat16(models)), in_bfloat16(models), "eager", MODELS_OVER_EAGER),
           counted("components", of(components), components, -int(-COMPONENTS_NO_SLOWER * len(components) // 1))]
    for name, least in COMPONENTS_OVER_EAGER.items():
        wanted = [c for c in in_bfloat16(components) if c.subject == name]
        out.append(mean(f"{name} in bfloat16", of(wanted), wanted, "eager", least))
    return out
