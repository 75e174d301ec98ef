"""What the columns cost beside the time of a call: until they are ready, and in memory."""
import cells

MIB = 1 << 20


def figure(column):
    if "readySeconds" not in column:
        return ""
    peak = column.get("peakBytes")
    return f"{column['readySeconds']:.2f} s" + (f" {peak / MIB:.1f} MiB" if peak is not None else "")


def lines(rows):
    """Seconds from the file (or the Python module) to calls that get no faster, and what a call allocates at its peak."""
    out = [f"{'until ready, peak of a call':34}" + "".join(f"{name:>20}" for name in cells.COLUMNS)]
    for row in rows:
        known = row.document.get("columns", {})
        out.append(f"{row.cell.id:34}" + "".join(f"{figure(known.get(name, {})):>20}" for name in cells.COLUMNS))
    return out
