// Programs on a GPU: a generated kernel for each problem, made on first use and kept.
//
// First use chooses a schedule (make_plan.h), compiles its text and loads it. Later calls of the same
// program, sizes, strides and alignments only look the plan up and start its kernels.
#pragma once

#include "kernels/rowprogram/problem.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>

namespace kadvise::rowprogram {

// Computes the outputs, which are uninitialised memory of a layout that the problem describes, on torch's
// current stream of the device. Those that lie in an input (call_shapes.h) may come to lie elsewhere. False:
// no kernel serves this problem here, and nothing was computed. Where that is because a kernel could not be
// made or started, a warning says so once.
bool runOnCuda(const Program&, const Problem&, std::span<const at::Tensor> inputs,
               std::span<at::Tensor> outputs, c10::Device);

// The pieces of a concatenation, by one kernel. Inputs and outputs are those of all of them, in order; an
// output is the piece's place in the result. False also where one of them needs another form (joined.h).
bool runJoinedOnCuda(std::span<const Problem>, std::span<const at::Tensor> inputs,
                     std::span<at::Tensor> outputs, c10::Device);

// While one lives, programs that this thread runs for the first time and that need the compiler only begin to
// be compiled, all side by side, and the interpreter serves them; its end waits for the compiler. So a whole
// model's kernels take no longer than one.
class CompileAhead {
 public:
  CompileAhead();
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  struct Pending;

 private:
  std::unique_ptr<Pending> pending_;
  Pending* outer_;
};

}  // namespace kadvise::rowprogram
