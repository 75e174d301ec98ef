#!/usr/bin/env python3
"""An installation that is moved works as before, from the command line and from a client's C++.

  install_test.py CMAKE BUILD_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import torch

CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
CLIENT = pathlib.Path(__file__).parent / "client"
INPUTS = ["float32[3,5,16]"] * 2


class PostNorm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x, r):
        return self.norm(x + r)


def run(*command, code=0, **options):
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, **options)
    assert done.returncode == code, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kadvise-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved here"
        (cls.folder / "first").rename(cls.prefix)
        cls.model = cls.folder / "model.pt"
        torch.jit.script(PostNorm().eval()).save(str(cls.model))

    def kadvise(self, *arguments, code=0):
        return run(self.prefix / "bin/kadvise", *arguments, code=code, cwd=self.folder)

    def test_help_and_the_bundled_rules_are_there(self):
        self.assertIn("Usage", self.kadvise("--help"))
        self.assertIn("fusion/add-layer-norm", self.kadvise("rules", "list"))

    def test_the_schemas_of_the_reports_are_there(self):
        for name in ("schema.json", "lint_schema.json"):
            self.assertEqual((self.prefix / "share/kadvise/report" / name).read_text(), (CLIENT.parents[2] / "reports" / name).read_text())

    def advise(self, code=0):
        return self.kadvise(self.model, "--input", INPUTS[0], "--input", INPUTS[1], "--no-verify", code=code)

    def test_its_engines_find_torch_and_the_operators(self):
        out = self.advise()
        self.assertIn("fusion/add-layer-norm", out)
        self.assertNotIn("was not found", out)

    def test_it_works_through_a_link(self):
        (self.folder / "kadvise").symlink_to(self.prefix / "bin/kadvise")
        self.assertIn("fusion/add-layer-norm", run(self.folder / "kadvise", "rules", "list"))

    def test_torch_that_is_nowhere_is_said_in_a_sentence(self):
        places = self.prefix / "libexec/kadvise/library-path"
        text = places.read_text()
        places.write_text("/nowhere\n")
        try:
            out = " ".join(self.advise(code=2).split())
        finally:
            places.write_text(text)
        self.assertRegex(out, r"kadvise-\w+ could not start for want of lib\w+\.so")
        self.assertIn("LD_LIBRARY_PATH", out)

    def test_no_program_carries_a_path_of_the_machine_that_built_it(self):
        for program in [*(self.prefix / "libexec/kadvise").glob("kadvise-*"), *(self.prefix / "lib").glob("*.so")]:
            found = run("readelf", "-d", program)
            for line in found.splitlines():
                if "RUNPATH" in line or "RPATH" in line:
                    self.assertRegex(line, r"\[(\$ORIGIN[^:]*:?)+\]")

    def test_the_examples_are_there_and_the_one_in_cpp_finds_the_engines_by_itself(self):
        docs, build = self.prefix / "share/doc/kadvise", self.folder / "ask"
        self.assertIn("rules test", (docs / "examples/rules/README.md").read_text())
        run(CMAKE, "-S", docs / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", build)
        self.assertIn("fusion/add-layer-norm: ", run(build / "ask", self.model, *INPUTS))

    def test_a_client_is_built_and_calls_analyze(self):
        build = self.folder / "client"
        run(CMAKE, "-S", CLIENT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", build)
        out = run(build / "client", self.model, *INPUTS)
        self.assertIn("fusion/add-layer-norm", out)
        self.assertIn("no such file", run(build / "client", "nowhere.pt", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
