"""kadvise lint over files that were made to hurt it: an error or a finding in bounded time and memory, and the files beside
them are read as ever."""

import json
import os
import resource
import subprocess
import time

import harness
from lint import GOOD, Linting

MOST_SECONDS = 120  # of the wall; the limit of a file is set lower
FILE_SECONDS = "20"
ENDLESS_SECONDS = "4"  # of texts, some of which take all they are given
DEEP = 100_000
BAD_LINE = "__global__ void last() {}\nvoid start() { last<<<1, 2048>>>(); }\n"  # one finding

MACROS = "#define M0 x = x + 1;\n" + "".join(f"#define M{i} M{i - 1} M{i - 1} M{i - 1} M{i - 1}\n" for i in range(1, 16))

# name -> text; each is followed by BAD_LINE, which is found where the reader comes that far
TEXTS = {
    "parentheses": "int x = " + "(" * DEEP + "1" + ")" * DEEP + ";\n",
    "braces": "void f() " + "{" * DEEP + "}" * DEEP + "\n",
    "brackets": "int a" + "[1]" * DEEP + ";\n",
    "stars": "int " + "*" * DEEP + "p;\n",
    "minus": "int x = " + "- " * DEEP + "1;\n",
    "a long sum": "int x = " + "1 + " * DEEP + "1;\n",
    "a long sum in a kernel": "__global__ void k(float* p) { p[threadIdx.x] = " + "p[1] + " * 20_000 + "1; }\n",
    "a chain of else": "void f(int x) { " + "".join(f"if (x == {i}) {{}} else " for i in range(20_000)) + "{} }\n",
    "nested templates": "template <class T> struct S {};\nusing X = " + "S<" * 20_000 + "int" + ">" * 20_000 + ";\n",
    "a template without end": "template <int N> struct F { static constexpr int v = F<N + 1>::v; };\nint x = F<0>::v;\n",
    "a constant without end": "constexpr int f(int n) { return f(n + 1); }\nconstexpr int x = f(0);\n",
    "a loop in a constant": "constexpr int f() { for (;;) {} }\nconstexpr int x = f();\n",
    "an unterminated comment": "/* " + "x" * 1000 + "\n",
    "an unterminated string": 'const char* s = "' + "x" * 1000 + "\n",
    "an unterminated raw string": 'const char* s = R"(' + "x" * 1000 + "\n",
    "conditions that never end": "#if 1\n" * 5_000,
    "itself": '#include "evil.cu"\n',
    "a device": '#include "/dev/zero"\n#include "/dev/tty"\n#include </dev/urandom>\n',
    "a folder": '#include "."\n#include "/"\n#include ""\n#include <>\n',
    "an embedded device": "const unsigned char x[] = {\n#embed \"/dev/zero\" limit(10)\n};\n",
    "bytes above ASCII": "int \xff\xfe\x80 = 3; // \xc3\x28\n",
    "pragmas": "#pragma clang force_cuda_host_device begin\n#pragma clang attribute push(__attribute__((annotate(\"x\"))), apply_to=any(function))\n",
    "arrays of all memory": "__global__ void k() { __shared__ float s[1ull << 60]; float l[1ull << 61]; l[s[threadIdx.x] > 0] = 1; }\n",
    "numbers out of range": "__global__ void k(int* p) { p[threadIdx.x * 0x7fffffffffffffff << 62] = 1 << 99; p[threadIdx.x / 0] = 1 % 0; }\n"
                            "void f() { k<<<-1, 99999999999999999999999>>>(0); k<<<1u << 31, dim3(0, 0, 0)>>>(0); }\n",
    "assembly": '__global__ void k() { asm volatile("' + "nop; " * 10_000 + '" ::: "memory"); asm("%" : : "q"(1)); }\n',
}


class Texts(Linting):
    def look(self, name, text):
        self.write("evil.cu", text.encode("latin-1") + BAD_LINE.encode())
        self.write("good.cu", GOOD + BAD_LINE)
        start = time.monotonic()
        process = self.start("lint", "--headers", "stub", "--no-cache", "--time-limit", ENDLESS_SECONDS, "--memory-limit", "2",
                             "--select", "cuda", "--output-format", "json", "evil.cu", "good.cu")
        out, err = process.communicate(timeout=MOST_SECONDS)
        self.assertIn(process.returncode, (1, 2), err)
        self.assertLess(time.monotonic() - start, MOST_SECONDS)
        files = {f["path"]: f for f in json.loads(out)["files"]}
        self.assertIn("cuda/block-too-large", [f["rule"] for f in files["good.cu"]["findings"]])
        evil = files["evil.cu"]
        self.assertNotRegex(evil["failure"], "SIG(SEGV|ABRT|BUS|ILL)")
        self.assertTrue(evil["failure"] or evil["errorCount"] or evil["findings"], "nothing is said of it")

    def test_each(self):
        for name, text in TEXTS.items():
            with self.subTest(name):
                self.look(name, text)

    def test_macros_that_multiply(self):
        self.look("macros", MACROS + "void f(int x) { M15 }\n")


class Files(Linting):
    def test_one_line_of_fifty_megabytes(self):
        self.write("line.cu", "int x; " * (50_000_000 // 7))
        out, _ = self.lint("line.cu", "bad.cu", code=2)
        self.assertIn("line.cu: is larger than", out)
        self.assertIn("cuda/block-too-large", out)

    def test_one_line_just_below_the_limit(self):
        self.write("line.cu", "/* x */ " * 500_000 + "int f();")
        self.lint("line.cu")

    def test_what_is_no_file(self):
        os.mkfifo(self.folder / "pipe.cu")
        (self.folder / "folder.cu").mkdir()
        os.symlink("/dev/zero", self.folder / "zero.cu")
        os.symlink("nowhere.cu", self.folder / "dangling.cu")
        os.symlink("circle.cu", self.folder / "circle.cu")
        self.write("good.cu", GOOD)
        for name in ("pipe.cu", "zero.cu", "dangling.cu", "circle.cu"):
            out, _ = self.kadvise("lint", "--headers", "stub", name, code=2)
            self.assertIn(name, out)
        out, _ = self.lint("--output-format", "json", ".", code=2)
        report = json.loads(out)
        self.assertEqual([e["where"] for e in report["errors"]], ["pipe.cu"])

    def test_a_pipe_that_is_included(self):
        os.mkfifo(self.folder / "pipe.h")
        self.write("uses.cu", '#include "pipe.h"\n' + BAD_LINE)
        self.assertEqual(self.rules("--time-limit", FILE_SECONDS, "uses.cu", code=1), ["cuda/block-too-large"])

    def test_headers_that_include_each_other(self):
        self.write("a.h", '#include "b.h"\n')
        self.write("b.h", '#include "a.h"\n')
        self.write("uses.cu", '#include "a.h"\n' + BAD_LINE)
        self.lint("--time-limit", FILE_SECONDS, "uses.cu", code=1)

    def test_links_in_circles(self):
        (self.folder / "deep/er").mkdir(parents=True)
        self.write("deep/er/a.cu", GOOD)
        os.symlink("..", self.folder / "deep/er/up")
        os.symlink(self.folder / "deep", self.folder / "deep/self")
        out, _ = self.lint("--output-format", "json", "deep")
        self.assertEqual([f["path"] for f in json.loads(out)["files"]], ["deep/er/a.cu"])

    def test_names_of_all_kinds(self):
        names = ["a b.cu", "new\nline.cu", "quote'\".cu", "-dash.cu", "$(touch ran).cu", "ümläut.cu", "%41.cu", "::error::.cu", "a,b:c.cu"]
        for name in names:
            self.write(f"odd/{name}", BAD_LINE)
        for form in ("json", "concise", "sarif", "github", "gitlab", "junit", "text"):
            out, _ = self.lint("--output-format", form, "odd", code=1)
            if form == "json":
                self.assertEqual({f["path"] for f in json.loads(out)["files"]}, {f"odd/{n}" for n in names})
            if form in ("github", "concise"):
                self.assertEqual(len(out.splitlines()), len(names), out)
        self.assertFalse((self.folder / "ran").exists())
        self.lint("--select", "cuda/block-too-large", "--", *[f"odd/{n}" for n in names], code=1)

    def test_a_name_that_is_no_text(self):
        path = os.path.join(os.fsencode(self.folder), b"\xff\xfe.cu")
        with open(path, "wb") as file:
            file.write(BAD_LINE.encode())
        for form in ("json", "concise", "sarif", "github", "gitlab", "junit", "text"):
            process = subprocess.run([harness.program, "lint", "--headers", "stub", "--output-format", form, "."], cwd=self.folder,
                                     env=self.environment(), capture_output=True, check=False)
            self.assertEqual(process.returncode, 1, process.stderr)  # it is read as any other
            if form in ("json", "sarif", "gitlab"):
                json.loads(process.stdout.decode())

    def test_a_file_without_rights(self):
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        self.write("closed.cu", GOOD).chmod(0)
        out, _ = self.lint("closed.cu", code=2)
        self.assertIn("closed.cu: cannot be read", out)


DATABASES = {
    "no JSON": "[{",
    "no list": '{"file": "bad.cu"}',
    "bytes": "\x00\xff\xfe",
    "open deep": "[" * DEEP,
}
TOLERATED = {
    "empty": [],
    "other things": [1, None, "x", [], {}],
    "wrong types": [{"file": 1, "directory": [], "command": {}, "arguments": "x"}],
    "no directory": [{"file": "bad.cu", "command": "nvcc -c bad.cu"}],
    "a folder that is not there": [{"directory": "/no/such/place", "file": "bad.cu", "command": "nvcc -Iinclude -c bad.cu"}],
    "no words": [{"directory": ".", "file": "bad.cu", "arguments": []}],
    "only a program": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc"]}],
    "options without values": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-I", "-D", "-isystem"]}],
    "an option at the end": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-include"]}],
    "an unknown standard": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-std=c++99", "bad.cu"]}],
    "zero bytes": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-DA=\0", "-I\0/x"]}],
    "a macro that breaks words": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-Dint=", "-DA(=", "-D="]}],
    "plugins": [{"directory": ".", "file": "bad.cu", "arguments": ["clang++", "-fplugin=./evil.so", "-Xclang", "-load", "-Xclang", "./evil.so"]}],
    "an included device": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "-include", "/dev/zero", "-I/dev"]}],
    "a response file that is itself": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc", "@self.rsp"]}],
    "many words": [{"directory": ".", "file": "bad.cu", "arguments": ["nvcc"] + ["-DX"] * 50_000}],
    "an unclosed quote": [{"directory": ".", "file": "bad.cu", "command": "nvcc -DX=\"abc 'def -c bad.cu"}],
    "a toolkit of its own": [{"directory": ".", "file": "bad.cu", "arguments": ["/proc/self/cwd/nvcc", "--cuda-path=/dev", "bad.cu"]}],
}


class Databases(Linting):
    def test_damaged_ones_are_named(self):
        for name, text in DATABASES.items():
            with self.subTest(name):
                self.write("compile_commands.json", text)
                out, _ = self.lint("bad.cu", code=2)
                self.assertIn("compile_commands.json", out)

    def test_a_deep_one_holds_no_entry(self):
        self.write("compile_commands.json", "[" * DEEP + "]" * DEEP)
        self.lint("bad.cu", code=1)

    def test_odd_ones_are_read_as_far_as_they_go(self):
        self.write("self.rsp", "@self.rsp -DX=1 @self.rsp")
        for name, entries in TOLERATED.items():
            with self.subTest(name):
                self.write("compile_commands.json", json.dumps(entries))
                process = self.start("lint", "--headers", "stub", "--time-limit", FILE_SECONDS, "--output-format", "json", "bad.cu")
                out, err = process.communicate(timeout=MOST_SECONDS)
                self.assertIn(process.returncode, (1, 2), err)
                failure = json.loads(out)["files"][0]["failure"]
                self.assertNotRegex(failure, "SIG|was stopped")

    def test_nothing_of_a_build_is_run(self):
        self.write("nvcc", f"#!/bin/sh\ntouch {self.folder}/ran\n").chmod(0o755)
        calls = ["./nvcc -ccbin ./nvcc -c bad.cu", f"{self.folder}/nvcc -c bad.cu", "`touch ran` -c bad.cu", "nvcc $(touch ran) bad.cu",
                 "clang++ -B. --gcc-toolchain=. -fuse-ld=./nvcc bad.cu", "ccache ./nvcc -c bad.cu"]
        for call in calls:
            self.write("compile_commands.json", json.dumps([{"directory": str(self.folder), "file": "bad.cu", "command": call}]))
            self.lint("bad.cu", code=1)
        self.assertFalse((self.folder / "ran").exists())


class Memory(Linting):
    def test_what_a_plain_file_takes(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.lint("bad.cu", code=1)
        self.assertLess(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), 400 << 10)
