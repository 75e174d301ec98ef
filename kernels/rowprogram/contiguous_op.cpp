// kadvise::contiguous: a tensor in the order of its dimensions, in memory of its own. ATen's copy from
// another order walks element by element; a generated kernel goes by tiles
// (tests/bench/results/copies.h200.txt).
//
// An operator by itself, and no text in the graph, so that a later kernel may take the copy along.
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/rowprogram/call.h"

#include <ATen/ops/empty.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x) { return x.clone(at::MemoryFormat::Contiguous); }

const char* nameOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kFloat:
      return "float32";
    case at::kHalf:
      return "float16";
    case at::kBFloat16:
      return "bfloat16";
    default:
      return nullptr;
  }
}

Tensor onCuda(const Tensor& x) {
  const char* dtype = nameOf(x.scalar_type());
  if (!dtype || x.dim() == 0 || x.is_contiguous()) return composition(x);
  const std::string text = "row_program 1\nrank " + std::to_string(x.dim()) + "\nx = in " + dtype +
                           "\nout x " + dtype + " contiguous\n";
  return rowprogram::callOnCuda(text, {x}).front();
}

struct Contiguous {
  static constexpr const char* kName = "contiguous";
  static constexpr const char* kQualifiedName = "kadvise::contiguous";
  static constexpr const char* kSchema = "contiguous(Tensor x) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCuda = kadvise::onCuda;

  static Tensor onCpu(const Tensor& x) { return kadvise::composition(x); }
  static Tensor onMeta(const Tensor& x) {
    return at::empty_symint(x.sym_sizes(), x.options().memory_format(at::MemoryFormat::Contiguous));
  }
};

}  // namespace

extern const Operator kContiguous;
const Operator kContiguous = Dispatch<Contiguous>::entry();

}  // namespace kadvise
