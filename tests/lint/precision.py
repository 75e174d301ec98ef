#!/usr/bin/env python3
"""How often is `kadvise lint` right? Hits of every rule, drawn by a fixed seed, and what a reader said of them.

  precision.py draw KADVISE OUT [NAME=]FOLDER… [--sample NAME=COUNT] [--found FILE] [--near FILE] [--only RULE]
               [--labels FILE] [--seed NUMBER] [-- ARGUMENTS OF LINT]
  precision.py settle --found FILE [--labels FILE]
  precision.py score [--labels FILE] [--by reader] [-v]

`draw` lints the folders and writes OUT/hits.json and for each rule OUT/RULE.md: the message and the code, for a reader who judges.
--found keeps all findings of a run; if the file exists, nothing is linted. --near reads such a file of an earlier run and lints only
the folders of sources that had findings then: enough after a rule became more silent. --labels leaves out what is judged already.
`settle` marks the wrong labels that such a run no longer finds as gone, and names the right ones that were lost.
`score` reads the labels: corpus, file, line, rule, a hash of the line of code, verdict right|wrong|unsure, why. Exits with 1 below
the bars: at most one wrong of the hits of a rule that is on by default, 95 % right over all of these. Wrong hits that a later change
silenced are marked "gone" and count no more, nor do those marked "mended", with what was done: they are still found, without what
was wrong about them. "by" says who judged, a "reader" who saw only the cards or the "author" of the rule; a reader's word on a place
replaces the author's. A place that one reader could not decide was given to another, whose word stands; "first" keeps the other's.
`score --by reader` counts readers alone.
"""
import argparse
import collections
import glob
import hashlib
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpora

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LABELS = os.path.join(TOP, "tests", "lint", "precision.json")
SEED = 20
HITS = 8  # a rule
MOST_LINES = 160  # of the function around a hit
MOST_WRONG, LEAST_RIGHT = 1, 0.95


def digest(text, length=12):
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def lines_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read().split("\n")


# Findings

def findings_of(program, name, folder, arguments, sample, near):
    files, out = corpora.sources(folder), {}
    if near is not None:
        files = [f for f in files if (name, os.path.dirname(os.path.relpath(f, folder))) in near]
    if sample and sample < len(files):
        files = sorted(random.Random(corpora.SEED).sample(files, sample))
    for first in range(0, len(files), corpora.BATCH):
        for f in corpora.report_of(program, files[first:first + corpora.BATCH], arguments)["files"]:
            for x in f["findings"]:
                where = x["where"]
                hit = {"corpus": name, "folder": folder, "file": os.path.relpath(where["file"], folder), "line": where["line"],
                       "column": where["column"], "endLine": where["endLine"], "rule": x["rule"], "scope": where["scope"],
                       "message": x["message"], "confidence": x["confidence"], "severity": x["severity"], "fixes": [e["title"] for e in x.get("fixes", [])],
                       "price": x["price"]["words"] if x.get("price") else "", "code": digest(where["snippet"].strip()),
                       "related": [{"message": r["note"], "line": r["line"], "file": os.path.relpath(r["file"], folder)}
                                   for r in x.get("related", [])]}
                out[(hit["file"], hit["line"], hit["column"], hit["rule"])] = hit  # a header is read by several files
    return list(out.values())


def order(hit, seed):
    return digest(f"{seed} {hit['rule']} {hit['corpus']} {hit['file']} {hit['code']} {hit['line']}", 64)


def drawn(hits, seed=SEED):
    """Up to HITS of one rule: corpora take turns, and a file comes again only when no other is left. A hash decides, so that a
    finding that is gone changes the draw in its own place only."""
    left = collections.defaultdict(list)
    for hit in sorted(hits, key=lambda hit: order(hit, seed)):
        left[hit["corpus"]].append(hit)
    turns = sorted(left, key=lambda name: digest(f"{seed} {hits[0]['rule']} {name}"))
    taken, files = [], set()
    for again in (False, True):
        progress = True
        while progress and len(taken) < HITS:
            progress = False
            for name in turns:
                fresh = [h for h in left[name] if again or (name, h["file"]) not in files]
                if fresh and len(taken) < HITS:
                    taken.append(fresh[0])
                    left[name].remove(fresh[0])
                    files.add((name, fresh[0]["file"]))
                    progress = True
    return taken


# Cards

def without_text(line):
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*|/\*.*?\*/', "", line)


def function_around(lines, at):
    """First and last line (from 0) of the outermost function with line `at`, by its braces."""
    stack, head, first_of_head = [], "", 0
    for i, line in enumerate(lines):
        text = "" if line.lstrip().startswith("#") else without_text(line)
        for c in text:
            if c == "{":
                function = ")" in head and not re.search(r"\b(namespace|struct|class|extern)\b[^()]*$", head.split("(")[0])
                stack.append((function, min(first_of_head, i)))
                head = ""
            elif c == "}":
                if stack:
                    function, first = stack.pop()
                    if function and not any(f for f, _ in stack) and first <= at <= i:
                        return first, i
                head = ""
            elif c == ";":
                head = ""
            else:
                if not head.strip():
                    first_of_head = i
                head += c
        head += " "
    return max(0, at - 30), min(len(lines) - 1, at + 30)


def numbered(lines, first, last, marks):
    return "\n".join(f"{'>' if i + 1 in marks else ' '}{i + 1:5d} {lines[i][:200]}" for i in range(max(0, first), min(len(lines), last + 1)))


def launches_of(lines, name):
    calls = [i for i, line in enumerate(lines) if re.search(r"\b" + re.escape(name) + r"\b\s*(<[^<>;]*>)?\s*<<<", line)]
    return calls[:3]


def card(number, hit):
    lines = lines_of(os.path.join(hit["folder"], hit["file"]))
    at = hit["line"] - 1
    first, last = function_around(lines, at)
    first, last = max(first, at - MOST_LINES // 2), min(last, at + MOST_LINES // 2)
    shown = set(range(first, last + 1))
    own = [r["line"] for r in hit["related"] if r["file"] == hit["file"]]
    out = [f"## {hit['rule']} {number}", "", f"{hit['corpus']}: {hit['file']}:{hit['line']}, in `{hit['scope']}`", "",
           f"**{hit['severity']} ({hit['confidence']}): {hit['message']}**", ""]
    if hit["price"]:
        out += [f"- price: {hit['price']}"]
    out += [f"- {r['file']}:{r['line']}: {r['message']}" for r in hit["related"]]
    out += [f"- fix: {title}" for title in hit["fixes"]]
    out += ["", "```cpp", numbered(lines, first, last, set(range(hit["line"], hit["endLine"] + 1)) | set(own)), "```"]
    for r in hit["related"]:
        other = lines if r["file"] == hit["file"] else lines_of(os.path.join(hit["folder"], r["file"]))
        if other is not lines or r["line"] - 1 not in shown:
            out += ["", f"{r['file']}:", "```cpp", numbered(other, r["line"] - 7, r["line"] + 4, {r["line"]}), "```"]
    for i in launches_of(lines, hit["scope"].split("::")[-1]):
        if i not in shown:
            out += ["", "launched here:", "```cpp", numbered(lines, i - 5, i + 2, {i + 1}), "```"]
    return "\n".join(out) + "\n"


def key(x):
    return x["rule"], x["corpus"], x["file"], x["code"]


def draw(args, behind):
    if args.found and os.path.exists(args.found):
        with open(args.found, encoding="utf-8") as f:
            found = json.load(f)
    else:
        near = None
        if args.near:
            with open(args.near, encoding="utf-8") as f:
                near = {(x["corpus"], os.path.dirname(x["file"])) for x in json.load(f)}
        found, samples = [], {name: int(count) for name, count in (s.split("=") for s in args.sample)}
        for folder in args.folders:
            name, _, path = folder.partition("=") if "=" in folder else (os.path.basename(os.path.normpath(folder)), "", folder)
            found += findings_of(args.kadvise, name, path, behind, samples.get(name), near)
            print(f"{name}: {len(found)} findings so far", file=sys.stderr, flush=True)
        if args.found:
            with open(args.found, "w", encoding="utf-8") as f:
                json.dump(found, f)
    by_rule = collections.defaultdict(list)
    for hit in found:
        by_rule[hit["rule"]].append(hit)
    judged = {key(x) for x in read_labels(args.labels)} if args.labels else set()
    os.makedirs(args.out, exist_ok=True)
    hits = []
    for rule in sorted(args.only or by_rule):
        chosen = drawn(by_rule[rule], args.seed) if by_rule[rule] else []
        new = [h for h in chosen if key(h) not in judged]
        print(f"{rule:36s}{len(by_rule[rule]):7d} findings {len(chosen):3d} drawn {len(new):3d} to judge")
        hits += chosen
        if new:
            with open(os.path.join(args.out, rule.replace("/", "-") + ".md"), "w", encoding="utf-8") as f:
                f.write("\n".join(card(chosen.index(h) + 1, h) for h in new))
    with open(os.path.join(args.out, "hits.json"), "w", encoding="utf-8") as f:
        json.dump(hits, f, indent=1)
    return 0


# Labels

def read_labels(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)["labels"]


def off_by_default():
    out = set()
    for page in glob.glob(os.path.join(TOP, "rules", "*", "*.md")):
        with open(page, encoding="utf-8") as f:
            head = re.search(r"```json rule\n(.*?)\n```", f.read(), re.S)
        header = json.loads(head.group(1))
        if header.get("default") == "off":
            out.add(header["id"])
    return out


def settle(args):
    path = args.labels or LABELS
    labels = read_labels(path)
    with open(args.found, encoding="utf-8") as f:
        found = {key(x) for x in json.load(f)}
    for x in labels:
        lost = key(x) not in found
        if x["verdict"] == "right" and lost:
            print(f"lost: {x['rule']} {x['corpus']}/{x['file']}:{x['line']}")
        if x["verdict"] != "right":
            x.pop("gone", None)
            x.update({"gone": True} if lost else {})
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"labels": [\n' + ",\n".join(json.dumps(x, ensure_ascii=False) for x in labels) + "\n]}\n")
    return 0


def score(args):
    off, rules = off_by_default(), collections.defaultdict(collections.Counter)
    labels = read_labels(args.labels or LABELS)
    read = {key(x) for x in labels if x.get("by") == "reader"}
    for x in labels:
        judge = x.get("by", "author")
        if (judge != "reader" and key(x) in read) or (args.by and judge != args.by):
            continue
        if x["verdict"] not in ("right", "wrong", "unsure"):
            sys.exit(f"{x['rule']} in {x['file']}: no verdict {x['verdict']}")
        rules[x["rule"]]["gone" if x.get("gone") or x.get("mended") else x["verdict"]] += 1
        if args.verbose and x["verdict"] != "right":
            print(f"{x['verdict']}{' (gone)' if x.get('gone') or x.get('mended') else ''}: {x['rule']} {x['corpus']}/{x['file']}:{x['line']}: {x['why']}")
    print(f"{'rule':36s}{'right':>7s}{'wrong':>7s}{'unsure':>8s}{'gone':>6s}")
    all_on, failed = collections.Counter(), []
    for rule in sorted(rules):
        n = rules[rule]
        print(f"{rule:36s}{n['right']:7d}{n['wrong']:7d}{n['unsure']:8d}{n['gone']:6d}{'   off by default' if rule in off else ''}")
        if rule not in off:
            all_on += n
            failed += [rule] if n["wrong"] > MOST_WRONG else []
    judged = all_on["right"] + all_on["wrong"] + all_on["unsure"]
    share = all_on["right"] / max(1, judged)
    print(f"on by default: {all_on['right']} of {judged} right, {share:.1%}; more than {MOST_WRONG} wrong: {', '.join(failed) or 'none'}")
    return 1 if failed or share < LEAST_RIGHT else 0


def main():
    own, behind = sys.argv[1:], []
    if "--" in own:
        own, behind = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    p = modes.add_parser("draw")
    p.add_argument("kadvise")
    p.add_argument("out")
    p.add_argument("folders", nargs="*")
    p.add_argument("--sample", action="append", default=[], metavar="NAME=COUNT")
    p.add_argument("--found", metavar="FILE")
    p.add_argument("--near", metavar="FILE")
    p.add_argument("--only", action="append", metavar="RULE")
    p.add_argument("--labels", metavar="FILE")
    p.add_argument("--seed", type=int, default=SEED)
    p = modes.add_parser("settle")
    p.add_argument("--found", metavar="FILE", required=True)
    p.add_argument("--labels", metavar="FILE")
    p = modes.add_parser("score")
    p.add_argument("--labels", metavar="FILE")
    p.add_argument("-v", "--verbose", action="store_true")
    p.add_argument("--by", choices=("reader", "author"))
    args = parser.parse_args(own)
    return {"settle": settle, "score": score}[args.mode](args) if args.mode != "draw" else draw(args, behind)


if __name__ == "__main__":
    sys.exit(main())
