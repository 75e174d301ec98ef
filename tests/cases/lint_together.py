"""kadvise lint over several files: what one says of another."""

import json

import lint

KERNEL = """#include "kernel.h"
__global__ void fill(float* x, int n) { x[blockIdx.x * blockDim.x + threadIdx.x] = n; }
"""
LAUNCH = """#include "kernel.h"
void run(float* x, int n) { fill<<<%s, 256>>>(x, n); }
"""
OUTSIDE = ("--select", "cuda/unguarded-index")


class Together(lint.Linting):
    """A kernel in one file, its launch in another."""

    def setUp(self):
        super().setUp()
        self.write("src/kernel.h", "__global__ void fill(float* x, int n);\n")
        self.write("src/kernel.cu", KERNEL)
        self.write("src/main.cu", LAUNCH % "(n + 255) / 256")

    def report(self, *arguments, code=0):
        return json.loads(self.lint("--output-format", "json", *OUTSIDE, *arguments, code=code)[0])

    def test_the_kernel_is_judged_by_a_launch_in_another_file(self):
        found = [(f["path"], g["related"][0]["file"]) for f in self.report("src", code=1)["files"] for g in f["findings"]]
        self.assertEqual(found, [("src/kernel.cu", "src/main.cu")])
        self.assertEqual(self.rules(*OUTSIDE, "src/kernel.cu"), [])

    def test_a_change_of_the_launch_changes_it(self):
        kept = ("--cache-dir", "results")
        self.assertEqual(self.report("src", *kept, code=1)["cached"], 0)
        again = self.report("src", *kept, code=1)
        self.assertEqual(again["cached"], len(again["files"]))
        self.write("src/main.cu", LAUNCH % "n / 256")
        self.assertEqual(self.report("src", *kept)["cached"], 1)  # kernel.h

    def test_neither_workers_nor_their_order_matter(self):
        for i in range(6):
            self.write(f"src/other{i}.cu", LAUNCH.replace("run", f"run{i}") % "(n + 127) / 256")
        one, many = (self.report("src", "--no-cache", "--jobs", n, code=1)["files"] for n in ("1", "4"))
        self.assertEqual(one, many)


SCALE = """#include <cstddef>
__global__ void scale(float* x, size_t n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.f;
}
void launchScale(float* x, size_t n) { scale<<<(n + 255) / 256, 256>>>(x, n); }
"""
SCALE_ALL = """#include <cstddef>
void launchScale(float* x, size_t n);
void scaleAll(float* x, %s bytes) { launchScale(x, bytes / sizeof(float)); }
"""


class Sizes(lint.Linting):
    """What another file gives for a size of 64 bits."""

    def setUp(self):
        super().setUp()
        self.write("src/scale.cu", SCALE)

    def overflows(self, code):
        return self.rules("--select", "cuda/index-overflow", "src", code=code)

    def test_a_size_that_was_counted_in_32_bits_does_not_overflow_them(self):
        self.write("src/main.cu", SCALE_ALL % "unsigned")
        self.assertEqual(self.overflows(code=0), [])

    def test_one_wide_call_is_enough(self):
        self.write("src/main.cu", SCALE_ALL % "unsigned")
        self.write("src/other.cu", (SCALE_ALL % "size_t").replace("scaleAll", "scaleMore"))
        self.assertEqual(self.overflows(code=1), ["cuda/index-overflow"])
