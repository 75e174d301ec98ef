#!/usr/bin/env python3
"""Which C++ files of a target may be compiled as one: prints `number=file` for each that shares a batch.

  batches.py MOST FILE…

Two files share a batch when neither declares, uses, or takes from a header of ours, a name that the other keeps to itself (by
an anonymous namespace, `static`, or a macro), so that both mean what they mean when compiled alone. Names are read from the
text as clang-format leaves it: what is declared for the file begins in the first column. A name too many costs a batch, one
too few is mostly an error of the compiler; a file with a macro in lower case, which would be none, stands alone.
"""
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

NO_NAME = re.compile(r"(TEST|TEST_F|TEST_P|INSTANTIATE_TEST_SUITE_P|namespace|template|using|static_assert)\b")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union|#define) (?:\[\[\w+\]\] )?(\w+)|using (\w+) =|\} (\w+)\b.*[;{]$")


def code_of(text):
    """Without what only looks like code: raw strings, comments, strings."""
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//(?! namespace$).*", "", text, flags=re.M)  # that comment ends an anonymous namespace
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def declared_names(code, is_header):
    """What a header declares, or a source for itself alone; None where it changes the meaning of any text that follows."""
    names, is_anonymous = set(), is_header
    for line in code.splitlines():
        if line in ("namespace {", "}  // namespace"):
            is_anonymous = line == "namespace {" or is_header
        if not is_header and (line.startswith("using namespace") or re.match(r"#define [a-z]", line)):
            return None
        is_own = is_anonymous or line.startswith(("static ", "constexpr ", "const ", "#define "))
        if not is_own or not re.match(r"[\w\[#}]", line):
            continue
        if named := TYPE.match(line):
            names.add(next(filter(None, named.groups())))
        elif not NO_NAME.match(line):
            names.update(re.findall(r"\w+", re.split(r"[({=;]|(?<=\w)\[", line)[0])[-1:])
            names.update(re.findall(r", (\w+) =", line))  # int one = 1, two = 2;
    return names


def used_names(code):
    """What may mean a function, type or constant of another file: a plain word in lower case is a variable of the function it
    stands in, or is declared by the file or its headers."""
    return set(re.findall(r"(?<![.\w])(?<!->)(?<!std::)(?:[A-Z]\w*|k[A-Z]\w*|[a-z_]\w*(?=[({<]|::))", code))


@functools.cache
def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


@functools.cache
def from_headers(path):
    """The names that the headers of ours behind this file declare. They include from the top of the repository."""
    names = set()
    for header in re.findall(r'^#include "(.+\.(?:h|cuh))"', read(path), re.MULTILINE):
        header = os.path.join(ROOT, header)
        if os.path.exists(header):
            names |= declared_names(code_of(read(header)), True) | from_headers(header)
    return names


def batches(files, most):
    """Lists of files. Those that get on with the fewest others choose first."""
    facts = {}
    for path in files:
        code = code_of(read(path))
        own = declared_names(code, False)
        facts[path] = own, used_names(code) | from_headers(path) | (own or set())
    batched = [path for path in files if facts[path][0] is not None]

    def opponents(path):
        own, used = facts[path]
        return sum(bool(own & facts[other][1] or used & facts[other][0]) for other in batched if other != path)

    made = []
    for path in sorted(batched, key=opponents, reverse=True):
        own, used = facts[path]
        for batch in made:
            if len(batch["files"]) < most and not own & batch["used"] and not used & batch["own"]:
                break
        else:
            made.append(batch := {"files": [], "own": set(), "used": set()})
        batch["files"].append(path)
        batch["own"] |= own
        batch["used"] |= used
    return [b["files"] for b in made]


def main():
    most, files = int(sys.argv[1]), sys.argv[2:]
    for number, batch in enumerate(batches(files, most)):
        for path in batch:
            if len(batch) > 1:
                print(f"{number}={path}")


if __name__ == "__main__":
    main()
