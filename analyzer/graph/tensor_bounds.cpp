#include "analyzer/graph/tensor_bounds.h"

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

// Only a repeated tensor (stride 0) gets here from a file of any size; nothing could be computed with it.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr const char* kTooLarge = "is larger than its bytes in the file";

bool computesItsState(const jit::Module& module) {
  for (const auto& m : module.modules())
    if (m.find_method("__setstate__")) return true;
  return false;
}

struct Checker {
  const std::string& path;
  std::size_t largestStorageBytes;

  void check(const std::string& name, const at::Tensor& t) const {
    if (!t.defined() || t.layout() != at::kStrided || !t.has_storage()) return;
    auto why =
        whyOutOfBounds(t.sizes(), t.strides(), t.storage_offset(), t.element_size(), t.storage().nbytes());
    if (why.empty() && t.storage().nbytes() > largestStorageBytes)
      why = "is larger than anything in the file";
    if (!why.empty()) throw Error(path, "is damaged: the tensor " + name + " " + why);
  }

  void checkGraph(jit::Block* block) const {
    forEachNode(block, [&](jit::Node* n) {
      if (n->kind() == jit::prim::Constant && n->hasAttribute(jit::attr::value) && isTensor(n->output()))
        check("of a constant", n->t(jit::attr::value));
    });
  }
};

}  // namespace

std::string whyOutOfBounds(at::IntArrayRef sizes, at::IntArrayRef strides, std::int64_t offset,
                           std::size_t itemBytes, std::size_t storageBytes) {
  if (sizes.size() != strides.size()) return "has not as many strides as sizes";
  if (offset < 0) return "begins before its bytes in the file";
  std::int64_t elements = 1, last = offset, step = 0, bytes = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return "has a negative size";
    if (sizes[d] == 0) return "";
    if (__builtin_mul_overflow(elements, sizes[d], &elements) || elements > kMostElements)
      return "has an absurd number of elements";
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) || __builtin_add_overflow(last, step, &last))
      return kTooLarge;
  }
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, static_cast<std::int64_t>(itemBytes), &bytes))
    return kTooLarge;
  if (static_cast<std::size_t>(bytes) > storageBytes) return kTooLarge;
  return "";
}

void requireTensorsInBounds(const std::string& path, const jit::Module& module,
                            std::size_t largestRecordBytes) {
  Checker checker{path, computesItsState(module) ? SIZE_MAX : largestRecordBytes};
  for (const auto& a : module.named_attributes(/*recurse=*/true))
    if (a.value.isTensor()) checker.check(a.name, a.value.toTensor());
  for (const auto& m : module.modules())
    for (const auto& method : m.get_methods()) checker.checkGraph(method.graph()->block());
}

}  // namespace kadvise::graph
