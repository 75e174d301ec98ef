#include "analyzer/graph/artefact.h"

#include <string_view>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/graph/float64_forms.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/optional_attributes.h"

namespace kadvise::graph {
namespace {

using jit::Module;
using jit::Node;
using jit::Value;

bool isDtypeArgument(const Node* n, std::size_t input) {
  auto* schema = n->maybeSchema();
  if (!schema || input >= schema->arguments().size()) return false;
  auto type = schema->arguments()[input].real_type();
  if (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::ScalarTypeType;
}

bool isSmallFloat(std::int64_t dtype) {
  auto type = static_cast<c10::ScalarType>(dtype);
  return type == at::kHalf || type == at::kFloat || type == at::kBFloat16;
}

// What they make has the default dtype where none is said, and float32 is that in the twin, too. Not those
// whose values are others in float64: what is rounded to an index of a range would be another one, and random
// numbers would be drawn anew.
constexpr std::string_view kMakesDefault[] = {"aten::zeros", "aten::ones", "aten::empty", "aten::eye"};

bool isDefaultDtype(Node* n, std::size_t input) {
  auto given = jit::toIValue(n->input(input));
  return given && given->isNone() && isOneOf(kMakesDefault, n);
}

void promoteNode(Node* n, Factories factories) {
  if (n->kind() == jit::prim::Constant && n->hasAttribute(jit::attr::value) && isTensor(n->output())) {
    auto tensor = n->t(jit::attr::value);
    if (!tensor.is_floating_point()) return;
    n->t_(jit::attr::value, tensor.to(at::kDouble));
    n->output()->inferTypeFrom(n->t(jit::attr::value));
    return;
  }
  for (std::size_t i = 0; i < n->inputs().size(); ++i) {
    auto dtype = constantInt(n->input(i));
    const bool isDefault = factories == Factories::Promoted && isDefaultDtype(n, i);
    if (!isDtypeArgument(n, i) || !(dtype ? isSmallFloat(*dtype) : isDefault)) continue;
    jit::WithInsertPoint here(n);
    n->replaceInput(i, n->owningGraph()->insertConstant(static_cast<std::int64_t>(at::kDouble)));
  }
}

void dropIn(Module& module) {
  for (const auto& slot : module.named_attributes(/*recurse=*/false)) {
    if (!slot.value.isTensor() || !slot.value.toTensor().defined()) continue;
    module.setattr(slot.name, placeholderFor(slot.value.toTensor()));
  }
  for (auto child : module.children()) dropIn(child);
}

}  // namespace

at::Tensor placeholderFor(const at::Tensor& t) {
  if (t.numel() == 0 || t.layout() != at::kStrided) return t;
  auto one = at::zeros({1}, at::TensorOptions().dtype(t.scalar_type()).device(at::kCPU));
  return one.as_strided(t.sizes(), std::vector<std::int64_t>(t.sizes().size(), 0));
}

void dropWeights(Module& module) { dropIn(module); }

void promoteToFp64(Module& module, Factories factories) {
  for (const auto& method : module.get_methods()) {
    auto graph = method.graph();
    writeOutForFloat64(*graph);
    forEachNode(graph->block(), [&](Node* n) { promoteNode(n, factories); });
    graph->lint();
  }
}

void saveInto(const Module& module, const std::filesystem::path& path,
              const std::map<std::string, std::string>& extra) {
  jit::ExtraFilesMap files(extra.begin(), extra.end());
  const CastOptionals casts(module);
  try {
    module.save(path.string(), files);
  } catch (const std::exception& e) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    throw Error(path.string(), "cannot be written: " + briefly(e));
  }
}

void saveWhole(const Module& module, const std::filesystem::path& path) {
  auto temporary = temporaryBeside(path);
  saveInto(module, temporary, {});
  commitFile(temporary, path);
}

std::string saveWithTwin(const Module& module, const std::filesystem::path& path, Factories factories) {
  saveWhole(module, path);
  Module twin = module.clone(kSharedTensors);
  promoteToFp64(twin, factories);
  auto twinPath = path;
  twinPath.replace_extension(".fp64.pt");
  saveWhole(twin, twinPath);
  return twinPath.filename().string();
}

}  // namespace kadvise::graph
