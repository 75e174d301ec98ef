"""How many times as fast: medians of paired log ratios with their bootstrap intervals, as in profiler/statistics.h."""
import math
import statistics

MISSING = 0.05  # how often an interval may miss the truth


def at_least(least, n, p):
    """P(X >= least) of X ~ Binomial(n, p)."""
    return min(1.0, sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1)))


def place_of(rank, n, probability):
    """The first place (from 1) among n sorted values at which the rank-th smallest of a resample lies with it."""
    return next((place for place in range(1, n) if at_least(rank, n, place / n) >= probability), n)


def bootstrap_median(values, missing=MISSING):
    """(low, median, high). Nothing is drawn: which value is the median of a resample follows a binomial distribution."""
    ordered = sorted(values)
    n = len(ordered)
    low, high = place_of((n + 1) // 2, n, missing / 2), place_of(n // 2 + 1, n, 1 - missing / 2)
    return ordered[low - 1], statistics.median(ordered), ordered[high - 1]


def round_logs(samples):
    """Of the two blocks of each round."""
    return [(math.log(a) + math.log(b)) / 2 for a, b in zip(samples[::2], samples[1::2])]


def speedup(samples, base):
    """(low, median, high) of how many times as fast `samples` are as `base`, both taken in the same rounds."""
    return tuple(math.exp(x) for x in bootstrap_median([b - s for s, b in zip(round_logs(samples), round_logs(base))]))


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else math.nan
