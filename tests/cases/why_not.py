"""kadvise why-not over the real programs: what a rule found, refused and nearly found."""

import inspect
import json

import torch

import near_misses
from harness import REPORT, Case

INPUTS = ("--input", "float32[2,6,32]", "--input", "float32[2,4,8,8]")


class Gelus(torch.nn.Module):
    def forward(self, x):
        a = 0.5 * x * (1.0 + torch.erf(x / 1.4142135623730951))
        return 0.3 * a * (1.0 + torch.erf(a / 1.4142135623730951))


class Prints(torch.nn.Module):
    def forward(self, x):
        print("text")
        print(x.shape)
        print("a tensor", x)
        return torch.relu(x)


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.linear(x) + self.calls


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(32, 32)

    def forward(self, x: torch.Tensor):
        x = x + 1.0
        return torch.nn.functional.relu(self.linear(x))


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = torch.nn.ModuleList([Step(), Step()])

    def forward(self, x: torch.Tensor):
        for step in self.steps:
            x = step(x)
        return x


def reasons(report, rule):
    """Every sentence of a report about a rule."""
    mismatches = [r["mismatch"] for r in report["refused"] if r["rule"] == rule]
    mismatches += [d["mismatch"] for n in report["whyNot"]["near"] if n["rule"] == rule for d in n["differences"]]
    return [m["at"] + " " + m["reason"] for m in mismatches] + [n["reason"] for n in report["notApplicable"] if n["rule"] == rule]


class Places(Case):
    def test_a_function_called_in_a_submodule_is_placed_there(self):
        torch.jit.script(Steps().eval()).save(str(self.folder / "steps.pt"))
        out, _ = self.kadvise("steps.pt", "--input", "float32[4,32]", "--no-verify", "--device", "cpu", "--json", "-")
        found = [f["where"] for f in json.loads(out)["findings"] if f["rule"] == "fusion/linear-activation"]
        lines, first = inspect.getsourcelines(Step)
        self.assertEqual([(w["scope"], w["line"]) for w in found], [(f"steps.{i}", first + len(lines) - 1) for i in range(2)])


class NearMisses(Case):
    def test_each_is_silent_and_says_what_differs(self):
        for number, names in enumerate(near_misses.rounds()):
            folder = self.folder / str(number)
            folder.mkdir()
            module, lines = near_misses.module_of(names, folder)
            module.save(str(folder / "model.pt"))
            chosen = [a for name in names for a in ("--rule", near_misses.NEAR_MISSES[name][0])]
            out, _ = self.kadvise("why-not", folder / "model.pt", *INPUTS, *chosen, "--device", "cpu", "--json", "-")
            report = json.loads(out)
            self.agrees(REPORT, report)
            self.assertEqual(sorted(report["whyNot"]["rules"]), sorted(set(chosen[1::2])))
            for name in names:
                rule, _, words = near_misses.NEAR_MISSES[name]
                with self.subTest(name):
                    found = [f["where"]["line"] for f in report["findings"] if f["rule"] == rule]
                    self.assertEqual([line for line in found if line in lines[name]], [])
                    said = reasons(report, rule)
                    self.assertTrue(any(all(w in sentence for w in words) for sentence in said), f"{words} in none of {said}")

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(near_misses.NEAR_MISSES), 25)


class Answers(Case):
    def setUp(self):
        super().setUp()
        torch.jit.script(Gelus().eval()).save(str(self.folder / "gelus.pt"))

    def why_not(self, *arguments, code=0):
        return self.kadvise("why-not", *arguments, "--input", "float32[4,8]", "--device", "cpu", code=code)

    def test_a_rule_about_gpus_says_so_on_a_cpu(self):
        out, _ = self.why_not("fusion/linear-bias-float32", "gelus.pt")
        self.assertIn("is about cuda devices, and this run is on cpu (--device cuda where there is one)", " ".join(out.split()))

    def test_a_rule_over_sources_is_not_asked_about_a_model(self):
        _, err = self.why_not("cuda/naive-matmul", "gelus.pt", code=2)
        self.assertIn("`kadvise lint --select cuda/naive-matmul FILE`", err)

    def test_what_is_refused_and_what_nearly_matches_are_both_shown(self):
        out, _ = self.why_not("fusion/gelu-written-out", "gelus.pt")
        self.assertIn("fusion/gelu-written-out: not found, refused at 1 place", out)
        self.assertIn("on the CPU torch.gelu is less exact", out)
        self.assertIn("all 5 operators of the pattern match, but", out)
        self.assertIn("the second operand of aten::mul is 0.3, the rule wants 0.5", out)

    def test_every_rule_is_answered_without_a_name(self):
        out, _ = self.why_not("gelus.pt", "--json", "-")
        report = json.loads(out)
        self.agrees(REPORT, report)
        listed, _ = self.kadvise("rules", "list")
        ids = [line.split()[0] for line in listed.splitlines()]
        of_sources = ("cuda/", "libtorch/")  # no module can break them
        self.assertEqual(report["whyNot"]["rules"], [id for id in ids if not id.startswith(of_sources)])
        for rule in report["whyNot"]["rules"]:
            found = any(f["rule"] == rule for f in report["findings"])
            self.assertTrue(found or reasons(report, rule), rule)

    def test_rendered_again_it_reads_the_same(self):
        text, _ = self.why_not("fusion/rope", "gelus.pt", "--json", "run.json")
        self.assertEqual(self.kadvise("report", "run.json")[0], text)

    def test_a_misspelt_rule_names_the_nearest(self):
        for word, meant in (("fusion/gelu-writen-out", "fusion/gelu-written-out"), ("rope", "fusion/rope")):
            _, err = self.why_not(word, "gelus.pt", code=2)
            self.assertIn(f'"{word}" is neither a rule nor a category; did you mean "{meant}"?', err)
        _, err = self.why_not("zzzzzzzz", "gelus.pt", code=2)
        self.assertIn("kadvise rules list", err)

    def test_a_statement_that_writes_and_stores_is_one_finding_with_its_line(self):
        torch.jit.script(Counts().eval()).save(str(self.folder / "counts.pt"))
        out, _ = self.why_not("counts.pt", "--rule", "graph-break/state-written", "--rule", "fusion/linear-add", "--json", "-")
        report = json.loads(out)
        lines, start = inspect.getsourcelines(Counts)
        written = start + next(i for i, line in enumerate(lines) if "+= 1" in line)
        self.assertEqual([(f["rule"], f["where"]["line"]) for f in report["findings"]], [("graph-break/state-written", written)])
        self.assertIn("the same memory as the parameter calls, which is written to in place", reasons(report, "fusion/linear-add")[0])

    def test_a_print_copies_what_is_a_tensor(self):
        torch.jit.script(Prints().eval()).save(str(self.folder / "prints.pt"))
        report = json.loads(self.why_not("graph-break/print", "prints.pt", "--json", "-")[0])
        self.assertEqual(["copied to the host" in f["message"] for f in report["findings"]], [False, False, True])

    def test_what_cannot_be_run_is_an_error(self):
        for arguments in ((), ("fusion/rope", "missing.pt"), ("fusion/rope", "gelus.pt", "more.pt")):
            self.kadvise("why-not", *arguments, code=2)
