"""A folder in place of the user's cache, for all cases of a program that lint."""

import atexit
import functools
import pathlib
import shutil
import tempfile


@functools.cache
def user_cache():
    """Headers are read once; a file in the results' place makes each case look for itself."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kadvise-user-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "lint").write_text("")
    return folder
