"""--apply: when the optimised module is written, and why it is not."""

from harness import DIFFERS, Case


class Apply(Case):
    def test_writes(self):
        out, _ = self.advise("--apply", "-o", "fast.pt")
        self.assertRegex(out, r"written: fast.pt \(\d+ B; model.pt has 8 B\)")
        self.assertIn("a faster module", (self.folder / "fast.pt").read_text())

    def not_written(self, code, says, **scenario):
        self.scenario(**scenario)
        out, _ = self.advise("--apply", "-o", "fast.pt", code=code)
        self.assertIn("not written: ", out)
        self.assertIn(says, out.replace("\n    ", " "))
        self.assertFalse((self.folder / "fast.pt").exists())

    def test_not_what_is_slower(self):
        self.not_written(1, "slower as a whole", verdicts={"whole": {"outcome": "slower"}})

    def test_not_what_differs(self):
        self.not_written(1, "not shown to be equal", verdicts={"whole": DIFFERS})

    def test_not_when_nothing_is_kept(self):
        self.not_written(1, "nothing to apply", verdicts={"C1": {"outcome": "wrong-output", "reason": "output 0 differs"}})

    def test_not_what_does_not_verify_as_a_file(self):
        self.not_written(1, "the written file does not give equal outputs", verdicts={"written": {"outcome": "wrong-output"}})

    def test_not_when_the_normal_form_differs(self):
        self.not_written(2, "did not get that far", verdicts={"normal-form": {"outcome": "wrong-output", "reason": "output 0"}})

    def test_slower_with_keep_equal(self):
        self.scenario(verdicts={"whole": {"outcome": "slower"}})
        self.advise("--apply", "-o", "fast.pt", "--keep", "equal")
        self.assertTrue((self.folder / "fast.pt").exists())
