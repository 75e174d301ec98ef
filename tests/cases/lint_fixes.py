"""Fixes that break a file, and lines that fixes move."""

import harness
from lint import Linting

PAGE = (harness.ROOT / "examples/rules/house/retired-helper.md").read_text()


def rule(name, old, new):
    return PAGE.replace("retired-helper", name).replace("launch_1d", old).replace("launch_over", new)


class Trials(Linting):
    def setUp(self):
        super().setUp()
        self.write("pack/house/good.md", rule("good", "old_good", "new_good"))
        self.write("pack/house/bad.md", rule("bad", "old_bad", "new_bad"))

    def fixed(self, text, *arguments):
        self.write("a.cu", text)
        out, _ = self.lint("--rules", "pack", "--select", "house", "--exit-zero", "--fix", *arguments, "a.cu")
        return (self.folder / "a.cu").read_text(), out

    def test_one_that_breaks_costs_only_itself(self):
        text = "void old_good(int); void new_good(int); void old_bad(int);\n"
        for i in range(6):
            text += f"void f{i}() {{ old_good({i}); {'old_bad(1);' if i in (1, 4) else ''} }}\n"
        now, out = self.fixed(text)
        self.assertEqual(now, text.replace("{ old_good", "{ new_good"))
        self.assertIn("2 fixes are not applied", out)

    def test_the_files_beside_it_keep_theirs(self):
        self.write("b.cu", "void old_good(); void new_good();\nvoid b() { old_good(); }\n")
        now, out = self.fixed("void old_bad(int);\nvoid f() { old_bad(1); }\n", "b.cu")
        self.assertIn("{ old_bad(1); }", now)
        self.assertIn("{ new_good(); }", (self.folder / "b.cu").read_text())
        self.assertIn("a fix is not applied", out)

    def test_errors_of_host_code_count(self):
        text = "void old_good(int); void new_good(int);\nvoid f() { old_good(1); }\n#ifndef __CUDA_ARCH__\nvoid old_bad(int);\nvoid g() { old_bad(1); }\n#endif\n"
        self.assertEqual(self.fixed(text)[0], text.replace("{ old_good", "{ new_good"))

    def test_as_many_errors_as_before_are_not_the_same_ones(self):
        """Where what breaks hides an error that was there."""
        text = "void old_bad(int);\nvoid f() { int x = old_bad(1); }\n"
        self.assertEqual(self.fixed(text)[0], text)


class Places(Linting):
    TEXT = "#include <cuda_runtime.h>\nvoid wait() { cudaThreadSynchronize(); }\n"

    def fix(self, name, code=0):
        return self.lint("--fix", "--select", "cuda/removed-api", name, code=code)

    def test_a_fixed_file_keeps_its_rights(self):
        self.write("a.cu", self.TEXT)
        (self.folder / "a.cu").chmod(0o600)
        self.fix("a.cu")
        self.assertIn("cudaDeviceSynchronize", (self.folder / "a.cu").read_text())
        self.assertEqual((self.folder / "a.cu").stat().st_mode & 0o777, 0o600)

    def test_links_and_protected_files_are_left_alone_and_named(self):
        self.write("a.cu", self.TEXT)
        (self.folder / "link.cu").symlink_to("a.cu")
        out, err = self.fix("link.cu", code=2)
        self.assertIn("is a link", out + err)
        self.assertTrue((self.folder / "link.cu").is_symlink())
        (self.folder / "a.cu").chmod(0o444)
        out, err = self.fix("a.cu", code=2)
        self.assertIn("write-protected", out + err)
        self.assertEqual((self.folder / "a.cu").read_text(), self.TEXT)


class Lines(Linting):
    """--diff-base while fixes move the lines."""

    def setUp(self):
        super().setUp()
        self.write("pack/house/two.md", rule("two", "second", "third"))
        page = rule("one", "first", "second(0)").replace('callExpr(callee(functionDecl(hasName("first"))), callee(expr().bind("name")))', 'callExpr(callee(functionDecl(hasName("first")))).bind("name")')
        self.write("pack/house/one.md", page)
        self.git("init", "-q")

    def test_texts_that_are_no_utf_8_keep_their_bytes(self):
        """In the second round the text comes from the first, and not from the disk."""
        text = b"void first(int); void second(int); void third(int);\n// caf\xe9 \xff\nvoid a() {\n  first(1);\n}\n"
        self.write("a.cu", text)
        self.lint("--rules", "pack", "--select", "house", "--exit-zero", "--fix", "a.cu")
        self.assertEqual((self.folder / "a.cu").read_bytes(), text.replace(b"  first(1)", b"  third(0)"))

    def test_what_was_not_touched_stays(self):
        text = "void first(int, int, int); void second(int); void third(int);\nvoid a() {\n  %s\n  second(5);\n  second(6);\n}\n"
        self.write("a.cu", text % "")
        self.git("add", "a.cu")
        self.git("commit", "-qm", "first")
        self.write("a.cu", text % "first(1,\n        2,\n        3);")
        self.lint("--rules", "pack", "--select", "house", "--exit-zero", "--fix", "--diff-base", "HEAD", "a.cu")
        self.assertEqual((self.folder / "a.cu").read_text(), text % "third(0);")
