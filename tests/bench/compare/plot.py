"""The comparison as one picture: a row for each cell, a dot for each column at its time over that of the best rival."""
import html
import math

COLOURS = {"eager": "#9a9a9a", "frozen": "#d9a441", "graph": "#b5651d", "compile": "#5b9bd5", "reduce-overhead": "#1f4e9e",
           "max-autotune": "#8064a2", "kadvise": "#c00020"}
LEFT, RIGHT, TOP, ROW = 260, 30, 70, 18  # pixels
WIDTH = 1000
LEAST, MOST = 1 / 4, 16  # times; what lies beyond stands at the edge
TICKS = (0.25, 0.5, 1, 2, 4, 8, 16)


def across(ratio):
    share = math.log(min(max(ratio, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text(x, y, words, anchor="start", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{html.escape(words)}</text>'


def dot(x, y, column, title):
    radius = 5 if column == "kadvise" else 3.5
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{COLOURS[column]}"><title>{html.escape(title)}</title></circle>'


def legend():
    x = LEFT
    for column, colour in COLOURS.items():
        yield f'<circle cx="{x}" cy="24" r="5" fill="{colour}"/>' + text(x + 9, 28, column)
        x += 24 + 7 * len(column)


def grid(bottom):
    for tick in TICKS:
        x, colour = across(tick), "#000000" if tick == 1 else "#dddddd"
        yield f'<line x1="{x:.1f}" y1="{TOP - 12}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>'
        yield text(x, TOP - 16, f"{tick:g}x", "middle")


def dots(row, y):
    yield text(LEFT - 10, y + 4, row.cell.id, "end")
    base = row.us[row.best]
    if row.over_best:
        low, _, high = row.over_best
        ends = f'x1="{across(1 / high):.1f}" y1="{y}" x2="{across(1 / low):.1f}" y2="{y}"'
        yield f'<line {ends} stroke="{COLOURS["kadvise"]}" stroke-width="3"/>'
    for column in COLOURS:  # kadvise last, above the others
        if column in row.us:
            yield dot(across(row.us[column] / base), y, column, f"{column}: {row.us[column] / 1000:.4f} ms")


def svg(rows):
    shown = [row for row in rows if row.best]
    height = TOP + ROW * len(shown) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif">',
             f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *legend(),
             text(10, 50, "time of a call over that of the best rival; left is faster"), *grid(height - 16)]
    for place, row in enumerate(shown):
        parts += dots(row, TOP + ROW * place + 4)
    return "\n".join([*parts, "</svg>"]) + "\n"
