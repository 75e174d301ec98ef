#!/usr/bin/env python3
"""The comparison itself, with tiny subjects on a CPU: its figures mean nothing here.

  compare_test.py --bin build/release/bin --lib build/release/lib
"""
import argparse
import contextlib
import glob
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import acceptance
import blocks
import cells
import others
import outputs
import plot
import ratios
import results
import run
import table
import torch

# Stands in for cell.py: makes the columns ready in this order, and dies in those that DEADLY names unless it is told that
# they failed.
CHILD = """
import json, os, sys
scratch, result, deadly, failed = sys.argv[1], sys.argv[2], sys.argv[3].split(","), json.loads(sys.argv[5])
for name in ("making", "eager", "frozen", "graph", "compile", "timing"):
    open(os.path.join(scratch, "column"), "w").write(name)
    if name in deadly and name not in failed:
        print("it was", name, flush=True)
        os.kill(os.getpid(), 9)
known = {name: {"state": "failed", "reason": reason} for name, reason in failed.items()}
json.dump({"columns": {"eager": {"state": "timed"}, **known}, "samples": {}, "seconds": {}}, open(result, "w"))
"""


def quietly(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*arguments)


def deadly(*names):
    """A command_of whose process dies in these columns."""
    return lambda cell, args, scratch, result: [sys.executable, "-c", CHILD, scratch, result, ",".join(names)]


def running():
    """The command lines of all processes."""
    lines = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            lines.append(file.read())
    return lines


def within_seconds(seconds, happens):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not happens():
        time.sleep(0.05)
    return happens()


def row(cell, **us):
    """A row whose columns take exactly so long."""
    samples = {name: {"wallUs": [float(time)] * 12} for name, time in us.items()}
    return results.row_of(cell, {"columns": {name: {"state": "timed"} for name in us}, "samples": samples})


def kept(rows):
    return [line.kept for line in acceptance.lines(rows)]


class Cells(unittest.TestCase):
    def test_every_other_model_has_a_cell_that_its_name_chooses(self):
        table = cells.other_table()
        self.assertEqual(sorted(cell.subject for cell in table), sorted(others.OTHERS))
        for name in others.OTHERS:
            self.assertEqual([cell.subject for cell in cells.chosen(table, [name])], [name])


class Ratios(unittest.TestCase):
    def test_twice_as_fast_is_twice_as_fast_whatever_the_clock_does(self):
        drift = [1 + 0.1 * k for k in range(20)]
        low, middle, high = ratios.speedup([10 * d for d in drift], [20 * d for d in drift])
        for value in (low, middle, high):
            self.assertAlmostEqual(value, 2)

    def test_six_values_give_an_interval_from_the_smallest_to_the_largest(self):
        self.assertEqual(ratios.bootstrap_median([6, 1, 4, 2, 5, 3]), (1, 3.5, 6))

    def test_an_interval_narrows_with_more_values(self):
        few, many = (ratios.bootstrap_median([math.sin(k) for k in range(n)]) for n in (10, 400))
        self.assertLess(many[2] - many[0], few[2] - few[0])


class Blocks(unittest.TestCase):
    def test_columns_take_turns_in_an_order_that_is_its_own_mirror_image(self):
        order = []
        columns = {name: blocks.Column(lambda: None, (), "cpu") for name in "abc"}
        for name, column in columns.items():
            column.fit, column.sample = lambda: None, lambda name=name: order.append(name)
        blocks.measure(columns, rounds=8, seconds=60)
        rounds = [order[k:k + 6] for k in range(0, len(order), 6)]
        self.assertEqual(len(rounds), 8)
        self.assertTrue(all(one == one[::-1] and sorted(one[:3]) == ["a", "b", "c"] for one in rounds))
        self.assertGreater(len({tuple(one) for one in rounds}), 1)

    def test_there_are_enough_rounds_for_an_interval_even_without_time(self):
        columns = {"a": blocks.Column(lambda: None, (), "cpu")}
        blocks.measure(columns, rounds=30, seconds=0)
        self.assertEqual(len(columns["a"].wall_us), 2 * blocks.FEWEST_ROUNDS)


class Outputs(unittest.TestCase):
    def test_other_values_shapes_counts_and_places_of_nan_are_errors(self):
        want = [torch.tensor([1.0, 2.0, 3.0])]
        self.assertEqual(outputs.error(want, want), 0)
        self.assertAlmostEqual(outputs.error([want[0] * 1.5], want), 0.5)
        for wrong in ([want[0][:2]], want * 2, [torch.tensor([1.0, math.nan, 3.0])]):
            self.assertEqual(outputs.error(wrong, want), math.inf)


class Runs(unittest.TestCase):
    CELL = "layer-norm-tiny-float32"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = folder.name

    def run_with(self, command_of, *options):
        """(cells run, cells left)."""
        args = run.parse(["--out", self.out, "--tiny", "--device", "cpu", "--cell-limit", "30", *options])
        with mock.patch.object(run, "command_of", command_of):
            return quietly(run.run_all, [cells.by_id(self.CELL)], args)

    def document(self):
        with open(os.path.join(self.out, self.CELL + ".json")) as file:
            return json.load(file)

    def test_a_column_that_ends_its_process_costs_itself_alone(self):
        self.assertEqual(self.run_with(deadly("graph", "compile")), (1, 0))
        columns = self.document()["columns"]
        self.assertEqual(columns["eager"]["state"], "timed")
        for name in ("graph", "compile"):
            self.assertEqual(columns[name]["state"], "failed")
            self.assertIn(f"it was {name}", columns[name]["reason"])

    def test_a_cell_that_cannot_be_made_is_lost_with_its_reason_and_not_tried_for_ever(self):
        for step in ("making", "eager", "timing"):
            with self.subTest(step):
                self.run_with(deadly(step), "--again")
                self.assertIn(f"{step}: the process ended with -9: it was {step}", self.document()["lost"])

    def test_a_column_that_hangs_is_ended_with_what_it_started(self):
        hanging = CHILD.replace("os.kill(os.getpid(), 9)", "import subprocess; subprocess.run(['sleep', '61.25'])")
        with mock.patch(f"{__name__}.CHILD", hanging):
            self.run_with(deadly("frozen"), "--cell-limit", "1")
        self.assertIn("not ready after 1 s", self.document()["columns"]["frozen"]["reason"])
        self.assertNotIn(b"sleep\x0061.25\x00", running())

    def test_told_to_end_it_ends_the_cell_with_it_and_leaves_no_file(self):
        program = (f"import sys; sys.argv[1:] = ['--out', {self.out!r}, '--tiny', '--device', 'cpu', '--only', {self.CELL!r}]\n"
                   f"sys.path.insert(0, {HERE!r})\nimport run\n"
                   "run.command_of = lambda *_: ['bash', '-c', 'sleep 62.25; true']\nsys.exit(run.main())")
        process = subprocess.Popen([sys.executable, "-c", program])
        sleeping = lambda: any(line.startswith(b"sleep\x0062.25") for line in running())
        self.assertTrue(within_seconds(20, sleeping))
        process.terminate()
        self.assertEqual(process.wait(20), 143)
        self.assertTrue(within_seconds(5, lambda: not sleeping()))
        self.assertEqual(os.listdir(self.out), [])

    def test_what_is_there_is_not_run_again_unless_it_was_lost_and_one_asks(self):
        self.run_with(deadly("making"))
        self.assertEqual(self.run_with(deadly()), (0, 0))
        self.assertEqual(self.run_with(deadly(), "--again"), (1, 0))
        self.assertNotIn("lost", self.document())
        self.assertEqual(self.run_with(deadly(), "--again"), (0, 0))

    def test_no_cell_starts_that_would_end_beyond_the_budget(self):
        self.assertEqual(self.run_with(deadly(), "--budget-seconds", "5"), (0, 1))
        self.assertEqual(os.listdir(self.out), [])
        self.assertEqual(self.run_with(deadly(), "--budget-seconds", "1000"), (1, 0))


class Acceptance(unittest.TestCase):
    TABLE = cells.whole_table()

    def test_without_cells_all_is_open(self):
        self.assertEqual(set(kept([])), {"open"})

    def test_five_times_eager_and_faster_than_all_rivals_is_what_is_wanted(self):
        good = dict(eager=500, frozen=200, graph=150, compile=190, kadvise=90)
        self.assertEqual(set(kept([row(cell, **good, **{"reduce-overhead": 130}) for cell in self.TABLE])), {"yes"})

    def test_slower_than_the_best_rival_is_not(self):
        slow = dict(eager=500, frozen=80, graph=150, compile=190, kadvise=90)
        answers = kept([row(cell, **slow, **{"reduce-overhead": 130}) for cell in self.TABLE])
        self.assertEqual(answers[:2], ["no", "no"])

    def test_a_cell_without_kadvise_counts_against_it(self):
        rows = [row(cell, eager=400, frozen=200, **{"reduce-overhead": 110}) for cell in self.TABLE]
        self.assertEqual(set(kept(rows)), {"no"})

    def test_one_slower_cell_decides_and_missing_ones_leave_it_open(self):
        components = [cell for cell in self.TABLE if cell.is_component]
        rows = [row(cell, eager=400, frozen=100, kadvise=101) for cell in components[:8]]
        self.assertEqual(kept(rows)[1], "open")
        self.assertEqual(kept([*rows, row(components[8], eager=400, frozen=80, kadvise=90)])[1], "no")

    def test_a_column_that_failed_is_left_out_of_its_mean(self):
        good = dict(eager=500, frozen=200, kadvise=90)
        rows = [row(cell, **good, **({} if k % 2 else {"reduce-overhead": 130})) for k, cell in enumerate(self.TABLE)]
        self.assertEqual(set(kept(rows)), {"yes"})

    def test_a_rival_that_failed_is_none(self):
        self.assertEqual(row(self.TABLE[0], frozen=200, kadvise=90).best, "frozen")
        self.assertEqual(row(self.TABLE[0], kadvise=90).best, "")


class Whole(unittest.TestCase):
    """A cell by the programs themselves."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        library = os.path.join(programs.lib, "libkadvise_kernels.so")
        options = ["--only", "rms-norm*", "--columns", "eager,frozen,graph,reduce-overhead,kadvise", "--budget", "2",
                   "--seconds", "1", "--kadvise-options", "--keep equal --select fusion/rms-norm-written-out",
                   "--kadvise", os.path.join(programs.bin, "kadvise"), "--library", library]
        command = [sys.executable, os.path.join(HERE, "run.py"), "--out", cls.folder.name, "--tiny", "--device", "cpu", *options]
        cls.process = subprocess.run(command, capture_output=True, text=True)
        cls.rows = results.load(cls.folder.name)

    def test_every_column_is_timed_or_says_why_not(self):
        self.assertEqual(self.process.returncode, 0, self.process.stdout + self.process.stderr)
        states = {name: column["state"] for name, column in self.rows[0].document["columns"].items()}
        self.assertEqual(states, {"eager": "timed", "frozen": "timed", "kadvise": "timed", "graph": "not-here",
                                  "reduce-overhead": "not-here"})

    def test_the_module_that_kadvise_wrote_is_what_is_timed(self):
        advice = self.rows[0].document["advice"]
        self.assertTrue(advice["written"], advice)
        self.assertEqual([one["rule"] for one in advice["applied"]], ["fusion/rms-norm-written-out"])

    def test_all_columns_have_samples_of_the_same_rounds(self):
        samples = self.rows[0].document["samples"]
        self.assertEqual(set(samples), {"eager", "frozen", "kadvise", "control"})
        self.assertEqual(len({len(taken["wallUs"]) for taken in samples.values()}), 1)

    def test_the_table_and_the_picture_show_the_cell(self):
        text = "\n".join(table.text_of(self.rows))
        self.assertRegex(text, r"rms-norm-tiny-float32 +0\.\d{4} +0\.\d{4} +-")
        self.assertIn("open  models below 0.98x", text)
        xml.etree.ElementTree.fromstring(plot.svg(self.rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    programs = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
