"""Where kadvise lint keeps its results, what makes it read a file again, and what it never follows or believes."""

import json
import os
import pathlib

import harness
from lint import BAD, GOOD, Linting
from user_cache import user_cache


class Cached(Linting):
    def setUp(self):
        super().setUp()
        self.cache = self.folder.parent / (self.folder.name + "-user")
        self.cache.mkdir(mode=0o700)
        self.addCleanup(harness.shutil.rmtree, self.cache, ignore_errors=True)
        headers = user_cache() / "headers"  # those of all cases
        headers.mkdir(mode=0o700, exist_ok=True)
        headers.rename(self.cache / "headers")
        self.addCleanup((self.cache / "headers").rename, headers)
        self.write("user.cu", GOOD)

    def environment(self):
        return {**super().environment(), "KADVISE_CACHE_DIR": str(self.cache)}

    def report(self, *arguments, code=0):
        return json.loads(self.lint("--output-format", "json", *arguments, code=code)[0])

    def cached(self, *arguments):
        return self.report(*(arguments or ("user.cu",)))["cached"]

    def entries(self, folder=None):
        return sorted((folder or self.cache / "lint").glob("*.lint"))


class Nowhere(Linting):
    def environment(self):
        return {**super().environment(), "KADVISE_CACHE_DIR": "", "HOME": str(self.folder)}

    def test_nothing_is_kept(self):
        before = sorted(self.folder.iterdir())
        for _ in range(2):
            self.assertIn("cuda/removed-api", self.rules("bad.cu", code=1))
        self.assertEqual(sorted(self.folder.iterdir()), before)


class Place(Cached):
    def test_results_are_the_users_and_not_among_the_sources(self):
        before = sorted(self.folder.iterdir())
        self.assertEqual([self.cached(), self.cached()], [0, 1])
        self.assertEqual(sorted(self.folder.iterdir()), before)
        self.assertEqual((self.cache / "lint").stat().st_mode & 0o777, 0o700)
        (self.folder / "twin").mkdir()
        os.rename(self.folder / "user.cu", self.folder / "twin/user.cu")
        self.assertEqual(self.cached("twin/user.cu"), 0)

    def test_a_named_folder_is_used_and_can_be_forbidden(self):
        self.assertEqual([self.cached("--cache-dir", "deep/results/", "user.cu") for _ in range(2)], [0, 1])
        self.assertEqual(len(self.entries(self.folder / "deep/results")), 1)
        self.assertEqual((self.folder / "deep/results/.gitignore").read_text(), "*\n")
        self.assertEqual(self.cached("--cache-dir", "deep/results", "--no-cache", "user.cu"), 0)
        absolute = self.folder / "absolute/results"
        self.assertEqual([self.cached("--cache-dir", absolute, "user.cu") for _ in range(2)], [0, 1])
        self.assertEqual(self.entries(), [])

    def test_what_lies_among_the_sources_is_not_believed(self):
        """A repository that brings a result which says that nothing is wrong."""
        planted = self.folder / ".kadvise/lint-cache"
        self.report("--cache-dir", planted, "bad.cu", code=1)
        for path in planted.iterdir():
            if path.suffix == ".lint":
                entry = json.loads(path.read_text())
                entry["file"]["findings"] = []
                path.write_text(json.dumps(entry))
        self.assertEqual(self.report("--cache-dir", planted, "bad.cu")["files"][0]["findings"], [])
        self.assertNotEqual(self.report("bad.cu", code=1)["files"][0]["findings"], [])

    def test_a_file_that_is_saved_while_it_is_read_has_no_result(self):
        """What is found is of the new text, and the key of the old one."""
        real = pathlib.Path(harness.program).with_name("kadvise-source")
        self.write("new.cu", BAD)
        parser = self.engines / "kadvise-source"
        parser.write_text(f'#!/bin/sh\ntest -e saved || cp new.cu user.cu\ntouch saved\nexec "{real}" "$@"\n')
        parser.chmod(0o755)
        self.report("--engines", self.engines, "user.cu", code=1)
        self.write("user.cu", GOOD)
        self.assertEqual([self.cached("--engines", self.engines, "user.cu") for _ in range(2)], [0, 1])

    def test_a_folder_that_others_may_write_to_is_not_used(self):
        (self.cache / "lint").mkdir()
        (self.cache / "lint").chmod(0o777)
        self.assertEqual([self.cached(), self.cached()], [0, 0])
        self.assertEqual(self.entries(), [])


class Links(Cached):
    def setUp(self):
        super().setUp()
        self.outside = self.folder / "outside"
        self.outside.mkdir()

    def test_a_named_folder_that_is_a_link_is_refused(self):
        for name in ("results", ".kadvise"):
            os.symlink(self.outside, self.folder / name)
        for name in ("results", "results/", ".kadvise/lint-cache", self.folder / "results"):
            report = self.report("--cache-dir", name, "user.cu")
            self.assertTrue(any("is a link" in note for note in report["notes"]), report["notes"])
        self.assertEqual(list(self.outside.iterdir()), [])

    def test_so_is_the_users_own(self):
        os.symlink(self.outside, self.cache / "lint")
        self.assertEqual([self.cached(), self.cached()], [0, 0])
        self.assertEqual(list(self.outside.iterdir()), [])

    def test_an_entry_that_is_a_link_or_a_pipe_is_replaced(self):
        self.cached()
        [entry] = self.entries()
        kept = entry.read_text()
        (self.outside / "kept").write_text(kept)
        entry.unlink()
        os.symlink(self.outside / "kept", entry)
        self.assertEqual([self.cached(), self.cached()], [0, 1])
        self.assertEqual((self.outside / "kept").read_text(), kept)
        entry.unlink()
        os.mkfifo(entry)
        self.assertEqual([self.cached(), self.cached()], [0, 1])

    def test_damaged_entries_are_read_anew(self):
        self.cached()
        for text in ("", "{", "[]", '{"headers": {}, "file": 3}', '{"headers": 1}'):
            self.entries()[0].write_text(text)
            self.assertEqual([self.cached(), self.cached()], [0, 1], text)


class Headers(Cached):
    def database(self, *words):
        call = f"nvcc {' '.join(words)} -c src/k.cu"
        self.write("compile_commands.json", json.dumps([{"directory": str(self.folder), "file": "src/k.cu", "command": call}]))

    def is_read_again_for(self, path, isOurs=True):
        self.assertEqual(self.cached("src/k.cu"), 1)
        self.write(path, "struct New { int x; };\n")
        self.assertEqual([self.cached("src/k.cu"), self.cached("src/k.cu")], [0, 1], path)
        (self.folder / path).unlink()
        if isOurs:  # headers of the system are not watched once they are there
            self.assertEqual([self.cached("src/k.cu"), self.cached("src/k.cu")], [0, 1], path)

    def test_a_missing_header_that_appears_anywhere_it_is_looked_for(self):
        self.write("src/k.cu", '#include "gone.h"\n#include <deep/far.h>\n#include "own.h"\n' + GOOD)
        self.write("src/own.h", '#include "../other/next.h"\n')
        self.write("other/next.h", '#include "neighbour.h"\n')
        (self.folder / "inc").mkdir()
        self.database("-I", "inc", "-isystem", str(self.folder / "system"), "-iquote", "quoted")
        self.cached("src/k.cu")
        for path in ("src/gone.h", "inc/gone.h", "inc/deep/far.h", "other/neighbour.h"):
            self.is_read_again_for(path)
        for folder in ("system/deep", "quoted"):  # a folder that is not there is not searched until it is
            (self.folder / folder).mkdir(parents=True)
        self.write("src/k.cu", (self.folder / "src/k.cu").read_text() + "\n")
        self.cached("src/k.cu")
        self.is_read_again_for("quoted/gone.h")
        self.is_read_again_for("system/deep/far.h", isOurs=False)

    def test_one_that_is_only_asked_for(self):
        self.write("src/k.cu", '#if __has_include("maybe.h")\n#include "maybe.h"\n#endif\n' + GOOD)
        self.cached("src/k.cu")
        self.is_read_again_for("src/maybe.h")


class Scripts(Cached):
    """Of a build, which give macros and folders of headers."""

    BROKEN = "__global__ void k(float* x) { x[0] = 1; }\nvoid run(float* x) { k<<<1, THREADS>>>(x); }\n"

    def setUp(self):
        super().setUp()
        self.write("README.md", "")
        self.write("lib/src/k.cu", self.BROKEN)

    def state(self):
        report = self.report("lib/src/k.cu")
        return report["files"][0]["errorCount"], report["cached"]

    def is_noticed(self, path, text):
        self.state()
        self.assertEqual(self.state(), (1, 1))
        self.write(path, text)
        self.assertEqual([self.state(), self.state()], [(0, 0), (0, 1)], path)
        (self.folder / path).unlink()

    def test_one_that_appears(self):
        self.is_noticed("setup.py", "define_macros = [('THREADS', '32')]\n")
        self.is_noticed("lib/setup.py", "define_macros = [('THREADS', '32')]\n")
        self.is_noticed("lib/run.py", "load(sources=['src/k.cu'], extra_cuda_cflags=['-DTHREADS=32'])\n")
        self.is_noticed("CMakeLists.txt", "add_definitions(-DTHREADS=32)\n")
        self.is_noticed("lib/src/CMakeLists.txt", "add_definitions(-DTHREADS=32)\n")
        self.is_noticed("Makefile", "F = -DTHREADS=32\n")
        self.is_noticed("lib/GNUmakefile", "F = -DTHREADS=32\n")

    def test_one_above_what_was_a_project_until_then(self):
        (self.folder / "README.md").unlink()
        self.is_noticed("setup.py", "define_macros = [('THREADS', '32')]\n")

    def test_one_that_said_nothing_before(self):
        for path, text in (("setup.py", "define_macros = [('THREADS', '32')]\n"),
                           ("lib/run.py", "load(sources=['src/k.cu'], extra_cuda_cflags=['-DTHREADS=32'])\n"),
                           ("lib/CMakeLists.txt", "add_definitions(-DTHREADS=32)\n"), ("lib/Makefile", "F = -DTHREADS=32\n")):
            self.write(path, "# nothing\n")
            self.is_noticed(path, text)

    def test_what_a_makefile_includes_and_a_folder_that_it_names(self):
        self.write("lib/Makefile", "include flags.mk\nF = -I../far/inc\n")
        self.is_noticed("lib/flags.mk", "G = -DTHREADS=32\n")
        self.write("lib/src/k.cu", '#include "far.h"\n' + self.BROKEN)
        self.is_noticed("far/inc/far.h", "#define THREADS 32\n")

    def test_python_that_says_nothing_of_it_is_no_dependency(self):
        self.write("lib/other.py", "load(sources=['src/other.cu'])\n")
        self.assertEqual(self.report("lib/src/k.cu")["files"][0]["dependencies"], [])
