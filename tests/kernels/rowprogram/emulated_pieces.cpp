#include "tests/kernels/rowprogram/emulated_pieces.h"

#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/interpret.h"
#include "kernels/rowprogram/joined.h"

#include <ATen/ATen.h>

namespace kadvise::rowprogram {
namespace {

// The programs with their own inputs.
template <class Use>
void forEachPiece(const EmulatedCase& c, const std::vector<at::Tensor>& inputs, const Use& use) {
  auto first = inputs.begin();
  for (const std::string& text : c.pieces) {
    const auto program = parsed(text);
    use(*program, std::vector<at::Tensor>(first, first + program->inputs));
    first += program->inputs;
  }
}

}  // namespace

Prepared preparedPieces(const EmulatedCase& c) {
  Prepared p;
  std::vector<at::Tensor> alone;
  forEachPiece(c, c.inputs, [&](const Program& program, const std::vector<at::Tensor>& inputs) {
    alone.push_back(emptyOutputs(program, inputs).front());
  });
  p.results = {at::cat(alone, c.dim)};
  std::int64_t start = 0;
  for (const at::Tensor& one : alone) {
    p.outputs.push_back(p.results[0].narrow(c.dim, start, one.size(c.dim)));
    start += one.size(c.dim);
  }
  std::vector<Problem> problems;
  forEachPiece(c, c.inputs, [&](const Program& program, const std::vector<at::Tensor>& inputs) {
    problems.push_back(*problemOf(program, inputs, {p.outputs[problems.size()]}));
  });
  p.source = emitJoined(problems, Gpu{});
  if (p.source.launches.empty()) p.problem = "cannot be joined";
  return p;
}

at::Tensor joinedPieces(const EmulatedCase& c, const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> alone;
  forEachPiece(c, inputs, [&](const Program& program, const std::vector<at::Tensor>& own) {
    alone.push_back(interpret(program, own).front());
  });
  return at::cat(alone, c.dim);
}

}  // namespace kadvise::rowprogram
