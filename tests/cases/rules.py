"""kadvise rules: the book, a page, and pages that test themselves."""

import re

from harness import ROOT, Case, fault

PAGE = ROOT / "rules/fusion/add-layer-norm.md"


class Book(Case):
    def test_list(self):
        out, _ = self.kadvise("rules", "list")
        lines = out.splitlines()
        self.assertEqual(lines, sorted(lines))
        self.assertTrue(any(re.match(r"fusion/add-layer-norm +opportunity +\S", line) for line in lines), out)

    def test_show(self):
        out, _ = self.kadvise("rules", "show", "fusion/add-layer-norm")
        self.assertEqual(out, PAGE.read_text())
        _, err = self.kadvise("rules", "show", "fusion/no-rule-is-called-anything-like-this", code=2)
        self.assertIn("kadvise rules list", err)
        _, err = self.kadvise("rules", "show", "fusion", code=2)
        self.assertIn("it is a category", err)
        _, err = self.kadvise("rules", "show", "rope", code=2)
        self.assertIn('did you mean "fusion/rope"?', err)

    def test_the_readme_names_every_rule(self):
        listed, _ = self.kadvise("rules", "list")
        fusions = [line.split()[0] for line in listed.splitlines() if line.startswith("fusion/")]
        self.assertGreater(len(fusions), 20)
        table = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `")]
        # "`fusion/add-layer-norm`, `add-rms-norm`": the category stands before the first of a row.
        named = {name.split("/")[-1] for line in table for name in re.findall(r"`([a-z0-9/*-]+)`", line.split("|")[1])}
        self.assertEqual([rule for rule in fusions if rule.split("/")[1] not in named], [])
        for category in {line.split("/")[0] for line in listed.splitlines()} - {"fusion"}:
            count = sum(line.startswith(category + "/") for line in listed.splitlines())
            self.assertTrue(any(f"`{category}/*`" in line for line in table), f"{category}: {count}")

    def own(self, change=lambda text: text, name="mine"):
        page = self.folder / f"own/team/{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(change(PAGE.read_text().replace("fusion/add-layer-norm", f"team/{name}")))
        return page

    def test_own_pages_stand_beside_the_bundled_ones(self):
        self.own()
        out, _ = self.kadvise("rules", "list", "--rules", "own")
        self.assertIn("team/mine", out)
        self.assertIn("fusion/add-layer-norm", out)

    def test_a_broken_page_is_named_with_its_line(self):
        self.own()
        self.own(lambda text: text.replace('"severity"', '"sverity"'), "broken")
        out, err = self.kadvise("rules", "list", "--rules", "own", code=2)
        self.assertRegex(err, r"team/broken\.md:\d+: unknown key \"sverity\"")
        self.assertIn("team/mine", out)


    def test_a_misspelt_parameter_in_a_case_is_named(self):
        self.own(lambda text: text.replace('"weight": "weight', '"wieght": "weight'), "broken")
        _, err = self.kadvise("rules", "list", "--rules", "own", code=2)
        self.assertRegex(err, r'team/broken\.md:\d+: a case gives "wieght", which no pattern or example of this page takes')


class Proofs(Case):
    def prove(self, *which, code=0):
        return self.kadvise("rules", "test", *which, "--engines", self.engines, code=code)

    def own(self):
        page = self.folder / "own/team/mine.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(PAGE.read_text().replace("fusion/add-layer-norm", "team/mine"))

    def proof(self, **more):
        self.scenario(candidates=[{"id": "P1", "rule": "team/mine"}], examples=[{"rule": "team/mine", "name": "post-norm", "ok": True, "what": ""}], **more)

    def test_a_folder_is_tested_alone(self):
        self.own()
        self.proof()
        out, _ = self.prove("own")
        self.assertIn("ok    team/mine: 1 example, 4 proofs equal", out)
        self.assertIn("1 rule, 5 tests, 0 failed, on the CPU", out)

    def test_an_id_of_a_bundled_page_is_said(self):
        page = self.folder / "own/fusion/add-layer-norm.md"
        page.parent.mkdir(parents=True)
        page.write_text(PAGE.read_text())
        self.proof()
        _, err = self.prove("own")
        self.assertIn("a bundled rule has the id fusion/add-layer-norm, so --rules will refuse this page", err)
        self.own()
        (self.folder / "own/fusion/add-layer-norm.md").unlink()
        self.assertNotIn("bundled", self.prove("own")[1])

    def test_every_dtype_of_the_page_and_fp64_are_proven(self):
        self.own()
        self.proof()
        self.prove("own")
        compared = [m["arguments"] for m in self.requests() if m["verb"] == "compare"]
        self.assertEqual([a["dtype"] for a in compared], ["float64", "float32", "float16", "bfloat16"])
        self.assertEqual(compared[0]["before"]["path"], "P1.before.fp64.pt")
        self.assertEqual(compared[1]["reference"]["path"], "P1.before.fp64.pt")
        self.assertEqual(compared[1]["specs"], ["float[2,64]"])

    def test_rules_are_named(self):
        self.prove("fusion/add-layer-norm")
        self.assertEqual(len([m for m in self.requests() if m["verb"] == "check"]), 1)
        self.kadvise("rules", "test", "nonsense", "--engines", self.engines, code=2)

    def test_a_failing_example(self):
        self.own()
        self.scenario(examples=[{"rule": "team/mine", "name": "post-norm", "ok": False, "what": "is not reported"}])
        out, _ = self.prove("own", code=1)
        self.assertIn("FAIL  team/mine: post-norm: is not reported", out)

    def test_a_failing_proof(self):
        self.own()
        self.proof(verdicts={"P1": {"outcome": "wrong-output", "reason": "output 0 differs"}})
        out, _ = self.prove("own", code=1)
        self.assertIn("FAIL  team/mine: P1 (add + LayerNorm in one kernel) in float32: output 0 differs", out)

    def test_a_dying_engine_fails_its_page_only(self):
        self.scenario(faults=[fault("graph", "check", "sigsegv")])
        out, _ = self.prove(code=1)
        self.assertIn("kadvise-graph was killed by SIGSEGV", out)
        self.assertRegex(out, r"ok    fusion/conv-batch-norm")

    def test_a_dying_proof_fails_alone(self):
        self.own()
        self.proof(faults=[fault("measure", "compare", "sigsegv")])
        out, _ = self.prove("own", code=1)
        self.assertIn("1 failed", out)
        self.assertIn("3 proofs equal", out)
