// An operator library whose operators double their argument, and fail on the way. A user's own operators do
// all of this.
#include <ATen/ATen.h>
#include <torch/library.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <vector>

#ifdef KADVISE_FAULTS_ON_CUDA
#include "tests/profiler/faults/kernels.h"
#endif

namespace kadvise::faults {
namespace {

using at::Tensor;

Tensor segfault(const Tensor& x) {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return x * 2;
}

Tensor aborts(const Tensor&) { std::abort(); }

Tensor throws(const Tensor&) { throw std::runtime_error("the operator's own words"); }

Tensor throwsNumber(const Tensor&) { throw 42; }

Tensor loops(const Tensor& x) {
  for (volatile bool always = true; always;) {
  }
  return x * 2;
}

// Touched page by page, as a leak grows. No thread may be so fast that the watcher comes too late.
Tensor hogs(const Tensor& x) {
  constexpr std::size_t kPiece = 16 << 20;
  for (std::vector<char*> pieces;;) {
    pieces.push_back(new char[kPiece]);
    for (std::size_t i = 0; i < kPiece; i += 4096) pieces.back()[i] = 1;
    ::usleep(5000);
  }
  return x * 2;
}

Tensor asksForTooMuch(const Tensor& x) {
  return x * 2 + at::empty({std::int64_t{1} << 45}, x.options()).numel();
}

Tensor hogsDevice(const Tensor& x) {
  for (std::vector<Tensor> pieces;;) pieces.push_back(at::empty({std::int64_t{1} << 28}, x.options()));
  return x * 2;
}

std::int64_t deep(std::int64_t depth) {
  if (depth < 0) return 0;
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return deep(depth + 1) + frame[depth % 4096];
}
Tensor overflowsStack(const Tensor& x) { return x * 2 + deep(0); }

Tensor exits(const Tensor&) { std::exit(0); }

// The copy comes back from here like the original.
Tensor forks(const Tensor& x) {
  ::fork();
  return x * 2;
}

Tensor prints(const Tensor& x) {
  std::cout << "{\"version\": 1, \"id\": 1, \"type\": \"done\", \"body\": {}}" << std::endl;
  std::printf("and so on\n");
  return x * 2;
}

Tensor closesDescriptors(const Tensor& x) {
  for (int fd = 0; fd < 1024; ++fd) ::close(fd);
  return x * 2;
}

Tensor waits(const Tensor& x) {
  ::usleep(50000);
  return x * 2;
}

#ifdef KADVISE_FAULTS_ON_CUDA
template <void (*fault)()>
Tensor onDevice(const Tensor& x) {
  if (x.is_cuda()) fault();
  return x * 2;
}

Tensor readsBeyond(const Tensor& x) {
  Tensor from = x.contiguous(), y = at::empty_like(from);
  if (!x.is_cuda()) return x * 2;
  cuda::readBeyond(from.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
#endif

}  // namespace
}  // namespace kadvise::faults

TORCH_LIBRARY(faults, m) {
  using namespace kadvise::faults;
  m.def("segfault(Tensor x) -> Tensor", segfault);
  m.def("aborts(Tensor x) -> Tensor", aborts);
  m.def("throws(Tensor x) -> Tensor", throws);
  m.def("throws_number(Tensor x) -> Tensor", throwsNumber);
  m.def("loops(Tensor x) -> Tensor", loops);
  m.def("hogs(Tensor x) -> Tensor", hogs);
  m.def("asks_for_too_much(Tensor x) -> Tensor", asksForTooMuch);
  m.def("hogs_device(Tensor x) -> Tensor", hogsDevice);
  m.def("overflows_stack(Tensor x) -> Tensor", overflowsStack);
  m.def("exits(Tensor x) -> Tensor", exits);
  m.def("forks(Tensor x) -> Tensor", forks);
  m.def("prints(Tensor x) -> Tensor", prints);
  m.def("closes_descriptors(Tensor x) -> Tensor", closesDescriptors);
  m.def("waits(Tensor x) -> Tensor", waits);
#ifdef KADVISE_FAULTS_ON_CUDA
  m.def("loops_on_device(Tensor x) -> Tensor", onDevice<cuda::loopForever>);
  m.def("illegal_address(Tensor x) -> Tensor", onDevice<cuda::illegalAddress>);
  m.def("misaligned_address(Tensor x) -> Tensor", onDevice<cuda::misalignedAddress>);
  m.def("reads_beyond(Tensor x) -> Tensor", readsBeyond);
  m.def("device_assert(Tensor x) -> Tensor", onDevice<cuda::failedAssert>);
#endif
}
