"""What a project says to lint in kadvise.toml, and what lint says of files that it could not read in full."""

from lint import Linting


class Projects(Linting):
    def test_a_selection_for_modules_leaves_lint_on(self):
        self.write("kadvise.toml", 'select = ["fusion", "graph-break"]\n')
        self.assertIn("cuda/removed-api", self.rules(code=1))
        self.write("kadvise.toml", 'select = ["fusion", "cuda/removed-api"]\n')
        self.assertEqual(set(self.rules(code=1)), {"cuda/removed-api"})

    def test_a_file_that_does_not_parse_is_named(self):
        self.write("torn.cu", "__global__ void k(float* x) { x[0] = ; }\n")
        out, _ = self.lint("torn.cu", code=0)
        self.assertIn("torn.cu:1: ", out)
        out, err = self.lint("--output-format", "concise", "torn.cu", code=0)
        self.assertEqual(out, "")
        self.assertIn("torn.cu:1: ", err)
