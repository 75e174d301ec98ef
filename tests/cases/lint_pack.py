"""The rule pack of examples/rules: its pages hold, and it works as its README says."""

from harness import ROOT
from lint import Linting

PACK = ROOT / "examples/rules"
USER = """#include <cuda_runtime.h>
void launch_1d(int);
void launch_over(int);
void run() {
  launch_1d(3);
  cudaDeviceSynchronize();
}
"""


class Pack(Linting):
    def setUp(self):
        super().setUp()
        self.write("user.cu", USER)

    def test_its_examples_hold(self):
        out, _ = self.kadvise("rules", "test", PACK)
        for page in ("device-wide-wait", "retired-helper"):
            self.assertIn(f"ok    house/{page}: 2 examples", out)

    def test_it_stands_beside_the_bundled_rules(self):
        self.assertEqual(self.rules("--rules", PACK, "user.cu", "--select", "house", "--fail-on", "opportunity", code=1),
                         ["house/retired-helper", "house/device-wide-wait"])
        found = self.rules("--rules", PACK, "bad.cu", "user.cu", code=1)
        self.assertLess({"house/retired-helper", "cuda/block-too-large"}, set(found))

    def test_its_fix_is_applied(self):
        self.lint("--rules", PACK, "--select", "house", "--fix", "user.cu")
        self.assertIn("  launch_over(3);", (self.folder / "user.cu").read_text())

    def test_its_pages_are_explained(self):
        out, _ = self.kadvise("lint", "--rules", PACK, "--explain", "house/device-wide-wait")
        self.assertIn("other people's work", out)

    def test_the_commands_of_the_readme_name_the_folder(self):
        text = (PACK / "README.md").read_text()
        for line in text.splitlines():
            if line.startswith("kadvise "):
                self.assertIn("examples/rules", line)
