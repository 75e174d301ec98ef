"""Sources whose findings are known."""

# Two places of one rule, one of another with a safe fix, one with an unsafe one; characters of 2, 3 and 4 bytes before them.
KERNEL = """#include <cuda_runtime.h>
/* é日𝄞 */ __global__ void normalise(float* x, float eps) {
\tfloat v = x[threadIdx.x];
  /* 𝄞𝄞 */ float scale = 1.0f / sqrtf(v * v + eps);
  x[threadIdx.x] = (v - scale) / sqrtf(v);
}
void wait() { (void)cudaThreadSynchronize(); }
"""
SQRT, REMOVED = "cuda/reciprocal-square-root", "cuda/removed-api"

CLEAN = "int answer() { return 42; }\n"


def kernels(number):
    """A source of many kernels, and what is found in it: one place a kernel."""
    parts = ["#include <cuda_runtime.h>\n"]
    for i in range(number):
        parts.append(f"__global__ void k{i}(float* x, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     f"  if (i >= n) return;\n  float v = x[i] * {i}.5f;\n  for (int j = 0; j < 4; ++j) v += x[i] * v;\n"
                     f"  x[i] = 1.0f / sqrtf(v);\n}}\n")
    return "".join(parts)

# An operator without a device guard: that it is bound, the other file says.
OPERATOR = """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2.f; }
at::Tensor run(at::Tensor x) {
  scale<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
  return x;
}
"""
BINDING = """#include <torch/extension.h>
at::Tensor run(at::Tensor x);
PYBIND11_MODULE(ops, m) { m.def("run", &run); }
"""
UNGUARDED = "libtorch/missing-device-guard"
