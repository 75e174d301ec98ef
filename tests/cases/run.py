"""run.py KADVISE MODULE…: the command-line cases of the modules, with the program KADVISE."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import harness

if __name__ == "__main__":
    harness.program = str(pathlib.Path(sys.argv[1]).resolve())
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(not result.wasSuccessful() or result.testsRun == 0)
