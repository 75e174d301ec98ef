"""kadvise bench over the real programs: names that are not quite an operator's."""

from harness import Case


class Names(Case):
    def refused(self, *arguments):
        return " ".join(self.kadvise("bench", *arguments, "--device", "cpu", code=2)[0].split())

    def test_a_name_without_its_library_or_misspelt_is_answered_with_the_nearest(self):
        for name, meant in (("rms_norm", "kadvise::rms_norm"), ("kadvise::rms_nrm", "kadvise::rms_norm"), ("rms_nrm", "kadvise::rms_norm"),
                            ("softmax", "aten::softmax"), ("aten::sofmax", "aten::softmax")):
            self.assertIn(f"did you mean {meant}?", self.refused(name))

    def test_without_a_name_or_with_one_like_no_other_the_own_operators_are_listed(self):
        for arguments in ((), ("nothing_like_this",)):
            words = self.refused(*arguments)
            self.assertIn("kadvise's own are kadvise::", words)
            self.assertIn("kadvise::rms_norm", words)
