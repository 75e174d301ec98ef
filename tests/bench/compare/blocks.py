"""Timing of several calls against each other, as `kadvise verify` times two: blocks in a random order and then in its
mirror image, so that a drift of the clock falls on all alike.

A block is as many calls as the clock needs, between two synchronisations: the time on the wall, which is what a user
waits for, and the time between two CUDA events.
"""
import math
import random
import time

import torch

BLOCK_US = {"cuda": 4000, "cpu": 10000}
LEAD_IN = 4  # a block of at least so many calls begins with one that is not timed
FEWEST_ROUNDS = 6  # with fewer, an interval of 95 % is wider than all values
MOST_REPETITIONS = 20000


class Column:
    """A call that is timed, with its samples: two blocks a round, in microseconds a call."""

    def __init__(self, call, inputs, device):
        self.call, self.inputs, self.device = call, inputs, device
        self.repetitions = 1
        self.wall_us, self.event_us = [], []
        if device == "cuda":
            self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def synchronize(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def block(self):
        """(wall, between events) of a call; without a GPU there are no events."""
        call, inputs = self.call, self.inputs
        if self.repetitions >= LEAD_IN:
            call(*inputs)
        self.synchronize()
        begin = time.perf_counter()
        if self.device == "cuda":
            self.start.record()
        for _ in range(self.repetitions):
            call(*inputs)
        if self.device == "cuda":
            self.end.record()
        self.synchronize()
        wall_us = (time.perf_counter() - begin) * 1e6 / self.repetitions
        return wall_us, self.start.elapsed_time(self.end) * 1e3 / self.repetitions if self.device == "cuda" else None

    def fit(self):
        """One call waits for the GPU and a block does not: a first guess fills a block, which gives the second."""
        for _ in range(2):
            us = self.block()[0]
            self.repetitions = max(1, min(MOST_REPETITIONS, math.ceil(BLOCK_US[self.device] / max(us, 0.01))))

    def sample(self):
        wall_us, event_us = self.block()
        self.wall_us.append(wall_us)
        self.event_us.append(event_us)


def measure(columns, rounds, seconds, seed=0):
    """Fills the samples of all columns; at least FEWEST_ROUNDS, then until the rounds or the seconds are used up."""
    for column in columns.values():
        column.fit()
    order, draw = list(columns), random.Random(seed)
    end = time.perf_counter() + seconds
    for done in range(rounds):
        if done >= FEWEST_ROUNDS and time.perf_counter() > end:
            break
        draw.shuffle(order)
        for name in [*order, *reversed(order)]:
            columns[name].sample()
