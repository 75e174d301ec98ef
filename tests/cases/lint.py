"""kadvise lint over the real kadvise-source: files, findings, fixes, formats, and what a repository's hook sees."""

import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree

import harness
from harness import Case
from user_cache import user_cache

BAD = """#include <cuda_runtime.h>
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 0.1;
}
void run(float* x, int n) {
  scale<<<(n + 255) / 256, dim3(64, 32)>>>(x, n);
  cudaThreadSynchronize();
}
"""
GOOD = """__global__ void scale(float* x) { x[threadIdx.x] *= 2.f; }
void run(float* x) { scale<<<1, 256>>>(x); }
"""


class Linting(Case):
    def setUp(self):
        super().setUp()
        self.write("bad.cu", BAD)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return path

    def environment(self):
        return {**super().environment(), "KADVISE_CACHE_DIR": str(user_cache())}

    def lint(self, *arguments, code=0):
        return self.kadvise("lint", "--headers", "stub", *arguments, code=code)

    def rules(self, *arguments, code=0):
        out, _ = self.lint("--output-format", "concise", *arguments, code=code)
        return [line.rsplit("[", 1)[1].rstrip("]") for line in out.splitlines()]

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.folder, check=True, capture_output=True)


class Findings(Linting):
    def test_the_text_names_place_rule_and_fix(self):
        out, _ = self.lint("bad.cu", code=1)
        self.assertIn("bad.cu:7:28: error: scale is launched with 2048 threads a block", out)
        self.assertIn("[cuda/block-too-large]", out)
        self.assertIn("fix: call cudaDeviceSynchronize (--fix)", out)

    def test_a_clean_file(self):
        self.write("good.cu", GOOD)
        out, _ = self.lint("good.cu")
        self.assertIn("no findings in 1 file", out)

    def test_rules_are_chosen(self):
        self.assertEqual(self.rules("--select", "cuda/removed-api", code=1), ["cuda/removed-api"])
        self.assertNotIn("cuda/removed-api", self.rules("--ignore", "cuda/removed-api", code=1))
        _, err = self.lint("--select", "cuda/no-such", code=2)
        self.assertIn("neither a rule nor a category", err)

    def test_host_files_know_the_runtime_without_a_toolkit(self):
        self.write("alone.cpp", "#include <cuda_runtime.h>\nvoid f() { float* p; cudaMalloc(&p, 4); dim3 g(1, 2); (void)g; cudaThreadSynchronize(); }\n")
        self.write(
            "torch.cpp",
            "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n#include <cuda_runtime.h>\n"
            "void f(at::Tensor x, cublasLtHandle_t) {\n  cublasHandle_t h = at::cuda::getCurrentCUDABlasHandle(); (void)h;\n"
            "  Py_BEGIN_ALLOW_THREADS\n  if (!x.is_meta() && !x.device().is_meta()) cudaHostRegister(nullptr, 4, cudaHostRegisterDefault);\n"
            "  Py_END_ALLOW_THREADS\n  cudaThreadSynchronize();\n}\n",
        )
        for name in ("alone.cpp", "torch.cpp"):
            out, _ = self.lint("--select", "cuda/removed-api", "-v", name, code=1)
            self.assertIn("[cuda/removed-api]", out)
            self.assertNotIn("did not parse cleanly", out)

    def test_severity_decides_the_exit_code(self):
        self.lint("--select", "cuda/double-literal")
        self.lint("--select", "cuda/double-literal", "--fail-on", "opportunity", code=1)
        self.lint("--exit-zero")

    def test_statistics_and_explain(self):
        out, _ = self.lint("--statistics", code=1)
        self.assertRegex(out, r" 1  cuda/removed-api  \[1 fixable with --fix\]")
        [first, *_] = json.loads(self.lint("--statistics", "--output-format", "json", "--select", "cuda/removed-api", code=1)[0])
        self.assertEqual(first, {"rule": "cuda/removed-api", "count": 1, "fixable": 1, "unsafelyFixable": 0})
        self.assertIn("is text or json", self.lint("--statistics", "--output-format", "sarif", code=2)[1])
        out, _ = self.kadvise("lint", "--explain", "cuda/removed-api")
        self.assertIn("cudaDeviceSynchronize", out)

    def test_standard_input(self):
        done = subprocess.run([harness.program, "lint", "--headers", "stub", "--stdin-filename", "new.cu", "--output-format", "concise"],
                              input=BAD, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("new.cu:7:28: error", done.stdout)
        done = subprocess.run([harness.program, "lint", "--headers", "stub", "--stdin-filename", "new.cu", "--output-format", "concise", "--fix"],
                              input=BAD, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(done.stdout, BAD.replace("cudaThreadSynchronize", "cudaDeviceSynchronize"))
        self.assertNotIn("removed-api", done.stderr)


class Files(Linting):
    def test_a_gpu_that_is_not_known(self):
        _, err = self.lint("--arch", "H9", "ok.cu", code=2)
        self.assertIn('"H9" is no GPU that is known; it is one of V100', err)
        self.assertIn("`kadvise lint --help`", err)

    def test_folders_are_searched_and_patterns_left_out(self):
        for name in ("src/a.cu", "src/deep/b.cuh", "third_party/c.cu", ".hidden/d.cu", "src/readme.md"):
            self.write(name, BAD)
        os.symlink(self.folder / "src", self.folder / "src/loop")
        out, _ = self.lint("--output-format", "json", "src", "third_party", code=1)
        self.assertEqual([f["path"] for f in json.loads(out)["files"]], ["src/a.cu", "src/deep/b.cuh", "third_party/c.cu"])
        out, _ = self.lint("--output-format", "json", "--exclude", "deep", "src", code=1)
        self.assertEqual([f["path"] for f in json.loads(out)["files"]], ["src/a.cu"])
        out, _ = self.lint("--exclude", "*.cu", "--force-exclude", "bad.cu")
        self.assertIn("in 0 files", out)

    def test_kadvise_toml_leaves_out_and_changes_severities(self):
        self.write("kadvise.toml", 'exclude = ["old/**"]\n[severity]\n"cuda/block-too-large" = "note"\n[per-path-ignores]\n"bad.cu" = ["cuda/removed-api"]\n')
        self.write("old/a.cu", BAD)
        rules = self.rules()
        self.assertNotIn("cuda/removed-api", rules)
        self.assertEqual(rules.count("cuda/block-too-large"), 1)

    def test_odd_names_and_files_that_are_no_text(self):
        self.write("a b\n.cu", GOOD)
        self.write("binary.cu", b"\0\1\2" * 100)
        out, _ = self.lint(code=2)
        self.assertIn("binary.cu: is no text", out)
        out, _ = self.lint("gone.cu", code=2)
        self.assertIn("gone.cu: no such file", out)

    def test_a_deleted_file_among_others_is_only_noted(self):
        self.write("good.cu", GOOD)
        out, _ = self.lint("good.cu", "gone.cu")
        self.assertIn("gone.cu: no such file", out)


class Fixes(Linting):
    def test_safe_fixes_are_written_and_stable(self):
        self.lint("--fix", code=1)
        text = (self.folder / "bad.cu").read_text()
        self.assertIn("cudaDeviceSynchronize", text)
        self.assertIn("* 0.1;", text)
        self.lint("--fix", code=1)
        self.assertEqual((self.folder / "bad.cu").read_text(), text)

    def test_unsafe_ones_only_where_asked_for(self):
        self.lint("--fix", "--unsafe-fixes", code=1)
        self.assertIn("* 0.1f;", (self.folder / "bad.cu").read_text())

    def test_a_diff_of_nothing_says_which_fixes_are_unsafe(self):
        (self.folder / "half.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = x[threadIdx.x] * 0.1; }\n")
        out, err = self.lint("--diff", "half.cu")
        self.assertEqual(out, "")
        self.assertIn("fixable with --fix --unsafe-fixes", err)

    def test_a_diff_writes_nothing_and_applies(self):
        out, _ = self.lint("--diff", "--unsafe-fixes", code=1)
        self.assertEqual((self.folder / "bad.cu").read_text(), BAD)
        subprocess.run(["patch", "-p0"], input=out, text=True, cwd=self.folder, check=True, capture_output=True)
        self.assertIn("* 0.1f;", (self.folder / "bad.cu").read_text())
        self.assertIn("cudaDeviceSynchronize", (self.folder / "bad.cu").read_text())


RACE = """__global__ void turn(float* out, const float* in) {
  __shared__ float s[256];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
void run(float* out, const float* in) { turn<<<1, 256>>>(out, in); }
"""


class History(Linting):
    def test_only_touched_lines(self):
        self.git("init", "-q")
        self.git("add", "bad.cu")
        self.git("commit", "-qm", "first")
        self.assertEqual(self.rules("--diff-base", "HEAD", "bad.cu"), [])
        self.write("bad.cu", BAD.replace("cudaThreadSynchronize();", "cudaThreadSynchronize();\n  cudaThreadExit();"))
        self.assertEqual(self.rules("--diff-base", "HEAD", "--select", "cuda/removed-api", code=1), ["cuda/removed-api"])
        self.write("new.cu", BAD)
        out, _ = self.lint("--diff-base", "HEAD", "--output-format", "concise", "--select", "cuda/removed-api", code=1)
        self.assertIn("new.cu:8:3", out)
        _, err = self.lint("--diff-base", "nonsense", code=2)
        self.assertIn("git knows no revision", err)

    def started(self, text):
        self.git("init", "-q")
        self.write("a.cu", text)
        self.git("add", "a.cu")
        self.git("commit", "-qm", "first")

    def test_a_deletion_brings_findings_elsewhere(self):
        self.started(RACE)
        self.assertEqual(self.rules("--diff-base", "HEAD", "a.cu"), [])
        self.write("a.cu", RACE.replace("  __syncthreads();\n", ""))
        self.assertEqual(self.rules("--diff-base", "HEAD", "a.cu", code=1), ["cuda/missing-barrier"])

    def test_what_was_there_before_is_not_told_again(self):
        self.started(RACE.replace("  __syncthreads();\n", "  // twice\n"))
        self.write("a.cu", RACE.replace("  __syncthreads();\n", ""))
        self.assertEqual(self.rules("--diff-base", "HEAD", "a.cu"), [])

    def test_the_repository_is_that_of_the_file(self):
        self.started(RACE)
        self.write("a.cu", RACE.replace("  __syncthreads();\n", ""))
        with tempfile.TemporaryDirectory() as elsewhere:
            command = [harness.program, "lint", "--headers", "stub", "--no-cache", "--output-format", "concise", "--diff-base", "HEAD"]
            run = subprocess.run([*command, str(self.folder / "a.cu")], cwd=elsewhere, capture_output=True, text=True)
            self.assertIn("[cuda/missing-barrier]", run.stdout, run.stderr)
            run = subprocess.run([*command, elsewhere], cwd=self.folder, capture_output=True, text=True)
            self.assertIn("is in no git repository", run.stderr)

    def test_headers_of_torch_need_those_of_a_toolkit(self):
        self.assertIn("has no include/torch", self.lint("--torch", "nowhere", code=2)[1])
        (self.folder / "torch/include/torch").mkdir(parents=True)
        self.assertIn("name it with --toolkit DIR", self.lint("--torch", "torch", code=2)[1])

    def test_a_second_run_takes_its_results_from_the_cache(self):
        self.write("own.h", "")
        self.write("user.cu", '#include "own.h"\n' + GOOD)
        cached = lambda: json.loads(self.lint("--output-format", "json", "--cache-dir", "results", "user.cu")[0])["cached"]
        self.assertEqual([cached(), cached()], [0, 1])
        self.write("own.h", "struct S { int x; };")
        self.assertEqual([cached(), cached()], [0, 1])
        self.assertEqual(json.loads(self.lint("--output-format", "json", "--cache-dir", "results", "--no-cache", "user.cu")[0])["cached"], 0)

    def test_a_hook_rejects_a_bad_commit_and_passes_a_good_one(self):
        """As the pre-commit framework calls it: the entry of .pre-commit-hooks.yaml with the staged files behind it."""
        text = (harness.ROOT / ".pre-commit-hooks.yaml").read_text()
        entry = next(line.split("entry: kadvise ")[1] for line in text.splitlines() if "entry: kadvise " in line)
        self.git("init", "-q")
        hook = self.write(".git/hooks/pre-commit", f'#!/bin/sh\nexec "{harness.program}" {entry} $(git diff --cached --name-only)\n')
        hook.chmod(0o755)
        self.git("add", "bad.cu")
        with self.assertRaises(subprocess.CalledProcessError):
            self.git("commit", "-qm", "bad")
        self.write("bad.cu", GOOD)
        self.git("add", "bad.cu")
        self.git("commit", "-qm", "good")


class Formats(Linting):
    def render(self, form):
        return self.lint("--output-format", form, code=1)[0]

    def test_sarif(self):
        run = json.loads(self.render("sarif"))["runs"][0]
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            self.assertEqual(ids[result["ruleIndex"]], result["ruleId"])
            self.assertTrue(result["partialFingerprints"])
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"], {"uri": "bad.cu", "uriBaseId": "%SRCROOT%"})
        self.assertEqual(run["results"][0]["level"], "error")

    def test_github_and_gitlab(self):
        self.assertIn("::error file=bad.cu,line=7,endLine=7,col=28,title=kadvise cuda/block-too-large::", self.render("github"))
        issues = json.loads(self.render("gitlab"))
        self.assertEqual({i["location"]["path"] for i in issues}, {"bad.cu"})
        self.assertEqual(len({i["fingerprint"] for i in issues}), len(issues))

    def test_junit(self):
        suite = xml.etree.ElementTree.fromstring(self.render("junit"))[0]
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertGreater(int(suite.get("failures")), 1)
        # What is below --fail-on is there, and does not fail.
        below = suite.findall("testcase/system-out")
        self.assertEqual(int(suite.get("tests")), int(suite.get("failures")) + len(below))
        self.assertTrue(any(b.text.startswith("opportunity: ") for b in below), [b.text for b in below])
        self.assertTrue(all(f.get("type") in ("warning", "error") for f in suite.findall("testcase/failure")))


class Builds(Linting):
    def test_the_database_gives_macros_and_folders(self):
        self.write("inc/size.h", "#ifdef WIDE\n#define THREADS 2048\n#else\n#define THREADS 32\n#endif\n")
        self.write("src/k.cu", '#include <size.h>\n__global__ void k() {}\nvoid run() { k<<<1, THREADS>>>(); }\n')
        call = f"/nowhere/nvcc -DWIDE -I {self.folder}/inc -gencode arch=compute_80,code=sm_80 -c src/k.cu && touch {self.folder}/ran"
        self.write("build/compile_commands.json", json.dumps([{"directory": str(self.folder), "file": "src/k.cu", "command": call}]))
        self.assertEqual(self.rules("src", code=1), ["cuda/block-too-large"])
        self.assertFalse((self.folder / "ran").exists())

    def test_a_damaged_database_is_named(self):
        self.write("compile_commands.json", "[{")
        out, _ = self.lint("bad.cu", code=2)
        self.assertIn("compile_commands.json", out)
