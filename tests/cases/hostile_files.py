"""Files that are broken, or made to hurt, built on the spot: what tests/cases/hostile.py gives to kadvise."""

import io
import struct
import zipfile
import zlib

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Dynamic(Net):
    def forward(self, x):
        return torch.relu(self.fc(x)).reshape(x.shape[0] * 2, 4)


def saved(module):
    """The bytes of a scripted module."""
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(module.eval()), buffer)
    return buffer.getvalue()


def defined(text):
    """The bytes of a module with these methods: nothing of them runs in Python."""
    class Empty(torch.nn.Module):  # one for each module: scripted classes share their methods
        pass

    module = torch.jit.script(Empty())
    module.define(text)
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    return buffer.getvalue()


def scripted(body, parameters="x: Tensor"):
    return defined(f"def forward(self, {parameters}):\n" + "".join(f"    {line}\n" for line in body.splitlines()))


def exported(module=None, inputs=None, **options):
    buffer = io.BytesIO()
    program = torch.export.export((module or Net()).eval(), inputs or (torch.randn(2, 8),), **options)
    torch.export.save(program, buffer)
    return buffer.getvalue()


def entries(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as z:
        return {i.filename: z.read(i) for i in z.infolist()}


def packed(files, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return buffer.getvalue()


def edited(archive, ending, change):
    """The archive with one entry changed, and its checksum right again. change(None) removes it."""
    files = entries(archive)
    name = next(n for n in files if n.endswith(ending))
    files[name] = change(files[name])
    return packed({n: d for n, d in files.items() if d is not None})


def replaced(archive, ending, old, new, count=1):
    def change(data):
        assert data.count(old) >= 1, (ending, old)
        return data.replace(old, new, count)

    return edited(archive, ending, change)


def flipped(archive, ending, where="data"):
    """One bit of an entry's bytes, of its local header or of its line in the directory is another."""
    with zipfile.ZipFile(io.BytesIO(archive)) as z:
        info = next(i for i in z.infolist() if i.filename.endswith(ending))
    data = bytearray(archive)
    if where == "header":
        at = info.header_offset
    elif where == "directory":
        at = archive.index(b"PK\x01\x02", archive.rindex(info.filename.encode()) - 46) + 20
    else:
        name, extra = struct.unpack_from("<HH", archive, info.header_offset + 26)
        at = info.header_offset + 30 + name + extra + info.compress_size // 2
    data[at] ^= 0x10
    return bytes(data)


def overlapping(archive):
    """Every entry of the directory points at the same large bytes."""
    body = b"\0" * 400_000
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, zlib.crc32(body), len(body), len(body), 3, 0) + b"m/a" + body
    directory = b"".join(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, zlib.crc32(body), len(body), len(body), 3, 0, 0, 0, 0, 0, 0) +
                         b"m/" + bytes([97 + i % 26]) for i in range(1000))
    return local + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1000, 1000, len(directory), len(local), 0)


def declaring(archive, ending, size):
    """The directory says that an entry unpacks to this many bytes."""
    with zipfile.ZipFile(io.BytesIO(archive)) as z:
        info = next(i for i in z.infolist() if i.filename.endswith(ending))
    at = archive.index(b"PK\x01\x02", archive.rindex(info.filename.encode()) - 46)
    data = bytearray(archive)
    struct.pack_into("<I", data, at + 24, size)
    return bytes(data)


def misplaced_large_record(archive):
    """A large-file record that points outside of the file."""
    end = archive.rindex(b"PK\x05\x06")
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1, 1, 46, 1 << 60)
    locator = struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    return archive[:end] + record + locator + archive[end:]


def state_dict():
    buffer = io.BytesIO()
    torch.save(Net().state_dict(), buffer)
    return buffer.getvalue()


def old_pickle():
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(3)}, buffer, _use_new_zipfile_serialization=False)
    return buffer.getvalue()


def with_setstate(body):
    """A module that runs this when it is loaded."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return defined("def forward(self, x):\n    return x\ndef __getstate__(self):\n    return torch.ones([1])\n"
                   f"def __setstate__(self, state: Tensor) -> None:\n{lines}    self.training = False\n    return None\n")


def with_program(archive, change):
    """An exported program with its JSON changed."""
    import json

    def edit(data):
        program = json.loads(data)
        change(program)
        return json.dumps(program).encode()

    return edited(archive, "models/model.json", edit)


def first_call(program, operator):
    return next(n for n in program["graph_module"]["graph"]["nodes"] if operator in n["target"])
