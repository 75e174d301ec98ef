"""Broken and hostile inputs, given to the real programs: one line that names the reason, exit code 2, nothing left behind,
in bounded time and memory."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

import hostile_files as made
import harness

MOST_SECONDS = 10  # of processor time, all processes together: other tests may run beside this one
MOST_BYTES = 3 << 30
HANGS = 120

NET = made.saved(made.Net())
PROGRAM = made.exported()
FINE = ("--input", "float32[2,8]")


def changed(path, value):
    """A change of an exported program: the value at a path of keys."""
    def change(program):
        for key in path[:-1]:
            program = program[key]
        program[path[-1]] = value

    return made.with_program(PROGRAM, change)


def retarget(operator, target):
    return made.with_program(PROGRAM, lambda p: made.first_call(p, operator).update(target=target))


def weights(change):
    def edit(data):
        config = json.loads(data)
        change(config["config"]["fc.weight"])
        return json.dumps(config).encode()

    return made.edited(PROGRAM, "weights_config.json", edit)


# name -> (bytes of the file, a part of the reason); RUNNING has the arguments between the two
NOT_A_MODULE = {
    "empty": lambda: (b"", "is empty"),
    "text": lambda: (b"hello world\n", "not a zip file"),
    "two bytes of a zip": lambda: (b"PK", "not a zip file"),
    "a magic number alone": lambda: (b"PK\x03\x04", "is cut off"),
    "another zip archive": lambda: (made.packed({"doc/readme.txt": b"hello"}), "not one that torch.jit.save"),
    "an empty zip archive": lambda: (made.packed({}), "not one that torch.jit.save"),
    "weights alone": lambda: (made.state_dict(), "holds no TorchScript code"),
    "an old pickle": lambda: (made.old_pickle(), "not a zip file"),
    "a program of Linux": lambda: (pathlib.Path("/bin/true").read_bytes(), "not a zip file"),
    "a newer format": lambda: (made.edited(NET, "/version", lambda d: b"99\n"), "newer torch"),
    "no version": lambda: (made.edited(NET, "/version", lambda d: None), 'no entry "version"'),
    "no code": lambda: (made.edited(NET, "hostile_files.py", lambda d: None), ""),
    "no forward": lambda: (made.replaced(NET, "hostile_files.py", b"def forward", b"def sideway"), 'no method "forward"'),
}
DAMAGED = {
    "a quarter": lambda: (NET[:len(NET) // 4], "is cut off"),
    "half": lambda: (NET[:len(NET) // 2], "is cut off"),
    "the end is missing": lambda: (NET[:-10], "is cut off"),
    "a bit of the structure": lambda: (made.flipped(NET, "/data.pkl"), "checksum"),
    "a bit of the code": lambda: (made.flipped(NET, "hostile_files.py"), "damaged"),
    "a bit of the constants": lambda: (made.flipped(NET, "/constants.pkl"), "checksum"),
    "a bit of a weight": lambda: (made.flipped(NET, "/data/0"), "checksum"),
    "a bit of a header": lambda: (made.flipped(NET, "/data.pkl", "header"), "damaged"),
    "a bit of the directory": lambda: (made.flipped(NET, "/data.pkl", "directory"), "damaged"),
    "entries that overlap": lambda: (made.overlapping(NET), "overlap"),
    "a bomb": lambda: (made.packed({"m/data.pkl": b"\0" * (600 << 20)}, method=8), "zip bomb"),
    "an absurd declared size": lambda: (made.declaring(NET, "hostile_files.py", 0xfffffff0), "zip bomb"),
    "a stored entry of another size": lambda: (made.declaring(NET, "/data/0", 1 << 20), "declares another size"),
    "a misplaced record": lambda: (made.misplaced_large_record(NET), "damaged"),
    "an absurd tensor": lambda: (made.replaced(NET, "/data.pkl", b"(K\x08K\x08t", b"(J\xff\xff\xff\x7fJ\xff\xff\xff\x7ft"), "absurd"),
    "a tensor larger than its bytes": lambda: (made.replaced(NET, "/data.pkl", b"(K\x08K\x08t", b"(K\x09K\x08t"), "larger than"),
    "a negative size": lambda: (made.replaced(NET, "/data.pkl", b"(K\x08K\x08t", b"(J\xff\xff\xff\xffK\x08t"), ""),
    "a storage larger than the file": lambda: (made.replaced(NET, "/data.pkl", b"K@tQ", b"J\0\0\0\x40tQ"), "holds 256 of 4294967296 bytes"),
    "a weight cut short": lambda: (made.edited(NET, "/data/0", lambda d: d[:4]), "its entry data/0 holds 4 of 256 bytes"),
    "weights without values": lambda: (made.replaced(NET, "/data.pkl", b"X\x03\0\0\0cpu", b"X\x04\0\0\0meta"), "meta device, which have sizes and no values"),
    "garbage for structure": lambda: (made.edited(NET, "/data.pkl", lambda d: b"\x80\x02]q\x00(" * 50), ""),
    "garbage for code": lambda: (made.edited(NET, "hostile_files.py", lambda d: b"class ((((("), ""),
    "brackets without end": lambda: (made.replaced(NET, "hostile_files.py", b"return ", b"return " + b"(" * 200000), "nested deeper"),
}
EXECUTING = {
    "an unknown operator": lambda: (made.replaced(NET, "hostile_files.py", b"torch.relu", b"ops.my.relu"), "my::relu, which no loaded library registers"),
    "torchvision's operator": lambda: (made.replaced(NET, "hostile_files.py", b"torch.relu", b"ops.torchvision.nms"), "libpython, then torch/lib/libtorch_python.so, then torchvision/_C.so"),
    "an endless load": lambda: (made.with_setstate("n = 0\nwhile True:\n    n += 1"), "of computing"),
    "a load without bound": lambda: (made.with_setstate("l: List[Tensor] = []\nwhile True:\n    l.append(torch.ones([1 << 22]))"), "was stopped"),
    "an exception while it loads": lambda: (made.with_setstate("raise Exception('no')"), "no"),
    "a huge constant": lambda: (made.scripted("return x + torch.ones([100000, 100000])"), "memory"),
    "endless constant folding": lambda: (made.scripted("y = torch.ones([3000, 3000])\n" + "y = torch.matmul(y, y) * 0.5\n" * 2000 + "return x + y"), "of computing"),
}
RUNNING = {
    "wrong shapes": (NET, ("--input", "float32[2,9]"), "forward fails with the inputs float32[2,9]"),
    "too many inputs": (NET, FINE + FINE, "2 inputs are given"),
    "a number for a tensor": (NET, ("--input", "3"), ""),
    "a wrong dtype": (NET, ("--input", "int64[2,8]<9"), "forward fails with the inputs"),
    "an absurd input": (NET, ("--input", "float32[100000,100000]", "--memory-limit", "1"), "memory"),
    "an exception": (made.scripted("raise Exception('no')\nreturn x"), FINE, "forward fails with the inputs float32[2,8]: no"),
    "an endless forward": (made.scripted("while bool(x.sum() == x.sum()):\n    x = x + 0\nreturn x"), FINE + ("--time-limit", "4"), "limit of 4.0 s"),
    "a forward without bound": (made.scripted("while bool(x.sum() == x.sum()):\n    x = torch.cat([x, x])\nreturn x"), FINE + ("--memory-limit", "1"), "memory"),
    "an argument that is no tensor": (made.scripted("return x['a']", "x: Dict[str, Tensor]"), (), "x: Dict[str, Tensor]"),
    "inputs that are no file of torch": (NET, ("--inputs", "model.txt"), "torch.save"),
    "a wrong guess": (made.scripted("return x.matmul(torch.ones([9, 9])) + x.matmul(torch.ones([8, 8]))"), (), "they were guessed"),
}
EXPORTED = {
    "a newer schema": lambda: (changed(("schema_version", "major"), 99), "schema 99"),
    "an older schema": lambda: (changed(("schema_version", "major"), 5), "schema 5"),
    "another format": lambda: (made.edited(PROGRAM, "archive_format", lambda d: b"pt9"), "not pt2"),
    "a newer archive": lambda: (made.edited(PROGRAM, "archive_version", lambda d: b"7"), "version 7"),
    "no program": lambda: (made.edited(PROGRAM, "models/model.json", lambda d: None), "holds no exported program"),
    "a program that is no JSON": lambda: (made.edited(PROGRAM, "models/model.json", lambda d: b"{]"), "not JSON"),
    "a program of another form": lambda: (made.edited(PROGRAM, "models/model.json", lambda d: b'{"schema_version": {"major": 8, "minor": 0}}'), "not of the form"),
    "an unknown operator": lambda: (retarget("relu", "torch.ops.my.relu.default"), "my::relu, which no loaded library registers"),
    "an unknown function": lambda: (retarget("relu", "os.system"), "os.system"),
    "a branch": lambda: (retarget("relu", "torch.ops.higher_order.cond"), "cond"),
    "a value that nothing computes": lambda: (made.with_program(PROGRAM, lambda p: made.first_call(p, "relu")["inputs"][0]["arg"].update(as_tensor={"name": "ghost"})), "ghost"),
    "a missing weight": lambda: (made.edited(PROGRAM, "weights/weight_0", lambda d: None), "fc.weight are missing"),
    "a short weight": lambda: (made.edited(PROGRAM, "weights/weight_0", lambda d: d[:16]), "fc.weight is larger than its bytes"),
    "an absurd weight": lambda: (weights(lambda w: w["tensor_meta"].update(sizes=[{"as_int": 1 << 62}, {"as_int": 8}])), "absurd"),
    "an unknown dtype": lambda: (weights(lambda w: w["tensor_meta"].update(dtype=77)), "dtype number 77"),
    "a bit of the program": lambda: (made.flipped(PROGRAM, "models/model.json"), "checksum"),
}


class Hostile(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="kadvise-hostile-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "tmp").mkdir()
        (self.folder / "model.txt").write_text("no inputs")

    def start(self, *arguments, **options):
        self.out, self.err = open(self.folder / "out.txt", "w+"), open(self.folder / "err.txt", "w+")
        self.addCleanup(self.out.close)
        self.addCleanup(self.err.close)
        return subprocess.Popen([harness.program, *map(str, arguments), "--device", "cpu"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=self.out, stderr=self.err, env={**os.environ, "TMPDIR": str(self.folder / "tmp"), "COLUMNS": "4000"}, **options)

    def end(self, process):
        """(exit code, what was used by it and its engines); what it printed is in self.text and self.errors."""
        signal.alarm(HANGS)
        _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.text, self.errors = (self.folder / "out.txt").read_text(), (self.folder / "err.txt").read_text()
        return process.returncode, used

    def refused(self, content, *arguments, says, name="model.pt"):
        (self.folder / name).write_bytes(content)
        code, used = self.end(self.start(name, *arguments, "--apply", "-o", "fast.pt", "--json", "report.json", "--quiet"))
        self.assertEqual(code, 2, self.errors)
        lines = self.errors.splitlines()
        self.assertEqual(len(lines), 1, self.errors)
        self.assertTrue(lines[0].startswith("kadvise: "), lines[0])
        self.assertIn(says, lines[0])
        self.assertNotRegex(lines[0], r"0x[0-9a-f]{6}|C\+\+|\.cpp|frame #|Exception raised")
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(len(report["errors"]), 1, report["errors"])
        self.nothing_left()
        self.assertLess(used.ru_utime + used.ru_stime, MOST_SECONDS, "seconds of processor time")
        self.assertLess(used.ru_maxrss << 10, MOST_BYTES, "bytes resident")

    def nothing_left(self):
        self.assertFalse((self.folder / "fast.pt").exists())
        self.assertEqual(list((self.folder / "tmp").iterdir()), [], "a work folder was left behind")
        self.assertEqual([p for p in self.folder.rglob("*") if p.name.endswith(".tmp")], [])


def add_cases(cls, cases, name="model.pt"):
    for case, make in cases.items():
        def test(self, make=make):
            content, says = make()
            self.refused(content, *FINE, says=says, name=name)

        setattr(cls, "test_" + case.replace(" ", "_").replace("'", ""), test)


class NotAModule(Hostile):
    def test_a_folder(self):
        (self.folder / "model.pt").mkdir()
        code, _ = self.end(self.start("model.pt"))
        self.assertEqual((code, self.errors.count("\n")), (2, 1), self.errors)
        self.assertIn("is a folder", self.errors)

    def test_a_pipe(self):
        os.mkfifo(self.folder / "model.pt")
        code, _ = self.end(self.start("model.pt"))
        self.assertEqual((code, self.errors.count("\n")), (2, 1), self.errors)
        self.assertIn("is not a regular file", self.errors)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable(self):
        (self.folder / "model.pt").write_bytes(NET)
        (self.folder / "model.pt").chmod(0)
        code, _ = self.end(self.start("model.pt"))
        self.assertEqual((code, self.errors.count("\n")), (2, 1), self.errors)


class Damaged(Hostile):
    pass


class Executing(Hostile):
    pass


class Exported(Hostile):
    pass


class Running(Hostile):
    pass


class Machine(Hostile):
    def test_a_full_disk(self):
        (self.folder / "model.pt").write_bytes(made.scripted("return x + 1"))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        code, _ = self.end(self.start("model.pt", *FINE, preexec_fn=limit))
        self.assertEqual(code, 2, self.errors + self.text)
        for said in (self.errors, self.text):  # in one sentence each
            self.assertEqual(said.count("cannot be written") + said.count("SIGXFSZ"), 1, self.errors + self.text)
        self.nothing_left()

    def interrupted(self, content, *arguments, when):
        (self.folder / "model.pt").write_bytes(content)
        process = self.start("model.pt", *arguments, "--quiet", "--work-dir", "work", "--apply", "-o", "fast.pt")
        log = self.folder / "work"
        harness.Case.wait_until(self, lambda: any(log.glob(when)) if log.exists() else False, when)
        process.send_signal(signal.SIGINT)
        code, _ = self.end(process)
        self.assertEqual((code, self.text, self.errors), (130, "", "kadvise: interrupted\n"))
        self.nothing_left()

    def test_interrupted_while_it_loads(self):
        self.interrupted(made.with_setstate("n = 0\nwhile True:\n    n += 1"), *FINE, when="kadvise-graph.log")

    def test_interrupted_while_it_runs(self):
        self.interrupted(made.scripted("while bool(x.sum() == x.sum()):\n    x = x + 0\nreturn x"), *FINE, when="base.pt")


add_cases(NotAModule, NOT_A_MODULE)
add_cases(Damaged, DAMAGED)
add_cases(Executing, EXECUTING)
add_cases(Exported, EXPORTED, name="model.pt2")
for case, (content, arguments, says) in RUNNING.items():
    setattr(Running, "test_" + case.replace(" ", "_"),
            lambda self, content=content, arguments=arguments, says=says: self.refused(content, *arguments, says=says))
