#!/usr/bin/env python3
"""Runs the files of this folder over the real language server.

  run.py KADVISE NAME...     NAME: documents, or documents.Case.test
"""
import sys
import unittest

import editor

if __name__ == "__main__":
    editor.program = sys.argv[1]
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
