#!/usr/bin/env python3
"""A site that kadvise.toml suppresses is left as it is in the written module, though sites alike are replaced.

  suppressed_test.py KADVISE KERNEL_LIBRARY
"""
import pathlib
import subprocess
import sys
import tempfile

import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(32)

    def forward(self, x):
        return self.norm(x + torch.tanh(x))


def main(kadvise, library):
    torch.ops.load_library(library)
    with tempfile.TemporaryDirectory(prefix="kadvise-suppressed-") as folder:
        folder = pathlib.Path(folder)
        torch.jit.trace(torch.nn.Sequential(Layer(), Layer(), Layer()).eval(), torch.randn(2, 5, 32)).save(str(folder / "m.pt"))
        (folder / "kadvise.toml").write_text('[[suppress]]\nrule = "fusion/add-layer-norm"\nwhere = "1*"\nreason = "kept plain"\n')
        for options, replaced in (([], 2), (["--no-config"], 3)):
            run = subprocess.run([kadvise, "m.pt", "--input", "float32[2,5,32]", "--device", "cpu", "--select", "fusion/add-layer-norm", "--budget", "5",
                                  "--keep", "equal", "--apply", "-o", "fast.pt", *options], cwd=folder, capture_output=True, text=True)
            assert run.returncode == 0, run.stdout + run.stderr
            graph = str(torch.jit.load(str(folder / "fast.pt")).graph)
            assert graph.count("kadvise::add_layer_norm") == replaced, (options, graph, run.stdout)
            assert graph.count("aten::layer_norm") == 3 - replaced, (options, graph)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2])
