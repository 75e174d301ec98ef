#include "profiler/cases.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>

#include "profiler/case_arguments.h"
#include "profiler/case_layouts.h"
#include "profiler/case_shapes.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

constexpr std::ptrdiff_t kBeforeArguments = 3;

// Parts of the names of ATen's operators that take indices, or sizes, from a tensor's values.
constexpr const char* kIndexing[] = {
    "index", "embedding",     "gather",   "scatter", "take",        "one_hot",
    "nll",   "cross_entropy", "bincount", "put",     "lookup",      "repeat_interleave",
    "shift", "item",          "Int",      "tolist",  "multinomial", "histc"};

bool mayIndex(const torch::jit::Block* block) {
  for (const torch::jit::Node* node : block->nodes()) {
    std::string kind = node->kind().toQualString();
    if (kind.rfind("aten::", 0) != 0 && kind.rfind("prim::", 0) != 0) return true;
    if (std::any_of(std::begin(kIndexing), std::end(kIndexing),
                    [&](const char* part) { return kind.find(part) != std::string::npos; }))
      return true;
    for (const torch::jit::Block* inner : node->blocks())
      if (mayIndex(inner)) return true;
  }
  return false;
}

Kinds kindsOf(const Values& batch) {
  Kinds kinds;
  for (const Leaf& leaf : leavesOf(batch, "input")) {
    if (!leaf.value.isTensor()) continue;
    Role role = roleOf(leaf.value.toTensor());
    kinds.floats |= isDrawn(role);
    kinds.masks |= role == Role::AdditiveMask;
    kinds.integers |= role == Role::Integer;
    kinds.bools |= role == Role::Bool;
  }
  return kinds;
}

}  // namespace

std::vector<std::string> caseNames(const Values& batch, Breadth breadth, bool mayIndex) {
  Kinds kinds = kindsOf(batch);
  kinds.indices = mayIndex;
  std::vector<std::string> names = {"inputs"};
  if (breadth == Breadth::Batch) return names;
  auto add = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  add(valueCaseNames(kinds, breadth));
  if (breadth == Breadth::AsGiven) return names;
  // Behind a few, so that on a small budget neither other values nor other arguments are left out.
  std::vector<std::string> arguments;
  for (const ArgumentChange& c : argumentChanges(batch)) arguments.push_back(nameOf(c));
  names.insert(names.begin() + std::min<std::ptrdiff_t>(kBeforeArguments, std::ssize(names)),
               arguments.begin(), arguments.end());
  add(layoutNames(batch));
  for (const ShapeChange& c : shapeChanges(batch)) names.push_back(nameOf(c));
  return names;
}

Case makeCase(const std::string& name, const Values& batch, const Device& device, std::uint64_t seed) {
  if (name == "inputs") return {name, cloneOf(batch)};
  std::uint64_t own = seed;
  for (unsigned char c : name) own = (own ^ c) * 1099511628211ull;
  seedAll(device, own);
  if (changesLayout(name)) return {name, withLayout(name, batch)};
  for (const ArgumentChange& c : argumentChanges(batch))
    if (name == nameOf(c)) return {name, withArgument(c, batch)};
  for (const ShapeChange& c : shapeChanges(batch))
    if (name == nameOf(c)) return {name, withShape(c, batch)};
  return {name, mapTensors(batch, [&](const Tensor& t) {
            Tensor values = valuesOfCase(name, t, roleOf(t));
            return values.defined() ? values : cloneOf(t);
          })};
}

bool mayIndex(const torch::jit::Module& module) {
  auto graph = module.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  return mayIndex(graph->block());
}

}  // namespace kadvise
