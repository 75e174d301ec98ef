"""What a search of a folder cannot read is told, and what was named and cannot be read is an error."""

import os
import unittest

from lint import BAD, GOOD, Linting


class Unread(Linting):
    def test_utf_16_that_was_only_found_is_noted(self):
        self.write("src/good.cu", GOOD)
        self.write("src/resource.h", '#define IDI_ICON 101\n'.encode("utf-16"))
        out, _ = self.lint("src")
        self.assertIn("src/resource.h: is UTF-16", out)
        out, _ = self.lint("src/resource.h", code=2)
        self.assertIn("is no text", out)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_folders_that_cannot_be_read_are_named(self):
        self.write("src/good.cu", GOOD)
        self.write("src/locked/bad.cu", BAD)
        os.chmod(self.folder / "src/locked", 0)
        self.addCleanup(os.chmod, self.folder / "src/locked", 0o700)
        out, _ = self.lint("src")
        self.assertIn("src/locked: cannot be read", out)
        out, _ = self.lint("src/locked", code=2)
        self.assertIn("src/locked: cannot be read", out)
