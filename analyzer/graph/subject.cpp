#include "analyzer/graph/subject.h"

#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <set>

#include "analyzer/core/error.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/archive_storages.h"
#include "analyzer/graph/convolution_modes.h"
#include "analyzer/graph/exported.h"
#include "analyzer/graph/exported_archive.h"
#include "analyzer/graph/fold_constants.h"
#include "analyzer/graph/graph_runner.h"
#include "analyzer/graph/guess_inputs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/kept_results.h"
#include "analyzer/graph/listed_parameters.h"
#include "analyzer/graph/load_notes.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/number_operands.h"
#include "analyzer/graph/optional_attributes.h"
#include "analyzer/graph/scopes.h"
#include "analyzer/graph/torch_file.h"
#include "analyzer/graph/unsafe_pieces.h"

namespace kadvise::graph {
namespace {

constexpr const char* kNodeFile = "node";
constexpr const char *kUsersText = "n", *kMadeText = "m";  // of the source that a range with an id is in
constexpr const char* kExported = "exported";

// The pickle names the device of each storage; loading onto the CPU forgets it.
std::string deviceOf(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader archive(path);
  auto [bytes, size] = archive.getRecord("data.pkl");
  std::string_view pickle(static_cast<const char*>(bytes.get()), size);
  auto at = pickle.find("cuda:");
  if (at == std::string_view::npos) return "cpu";
  auto end = pickle.find_first_not_of("0123456789", at + 5);
  return std::string(pickle.substr(at, end - at));
}

// A trace writes its graph without Python columns; the class of a traced module says so in its type's
// annotations only, so look at the recorded ranges.
std::string formatOf(const torch::jit::Graph& graph) {
  for (auto* n : graph.nodes()) {
    auto range = n->sourceRange().findSourceRangeThatGenerated();
    auto place = range ? range->file_line_col() : std::nullopt;
    if (place && std::get<1>(*place) > 0 && std::get<2>(*place) > 0) return "scripted";
  }
  return "traced";
}

// "__torch__.transformers.models.bert.___torch_mangle_7.BertLayer" -> "BertLayer"
std::map<std::string, std::string> classesOf(const jit::Module& module) {
  std::map<std::string, std::string> out;
  for (const auto& m : module.named_modules())
    if (auto name = m.value.type()->name()) out[m.name] = name->name();
  return out;
}

jit::Module fromTorchScript(const std::string& path, const Archive& archive, Subject& s) {
  s.savedDevice = deviceOf(path);
  loadHalfFor(s.savedDevice);
  auto loaded = loadTorchScript(path, archive);
  s.hasTensors = false;
  for (const auto& attribute : loaded.named_attributes())
    s.hasTensors = s.hasTensors || attribute.value.isTensor();
  // A file with other tensors elsewhere does not say which of them a constant was.
  auto there = s.savedDevice == "cpu" ? LiesThere::Others : whatLiesOn(path, s.savedDevice);
  std::size_t leftOut = there == LiesThere::AllButNumbers     ? kBytesOfNumber
                        : there == LiesThere::AllButConstants ? std::numeric_limits<std::size_t>::max()
                                                              : 0;
  if (there != LiesThere::Others) s.fileTensors.note(loaded, leftOut);
  return loaded;
}

jit::Module fromExported(const std::string& path, Subject& s) {
  auto exported = readExported(path);
  s.format = kExported;
  s.savedDevice = exported.savedDevice;
  loadHalfFor(s.savedDevice);
  s.samples = exported.samples;
  s.guards = exported.guards;
  s.notes = exported.notes;
  s.converted = exported.module;
  return exported.module;
}

jit::SourceRange rangeWithId(const char* text, int id) {
  return {
      std::make_shared<jit::Source>(std::string(text), std::string(kNodeFile), static_cast<std::size_t>(id)),
      0, 1};
}

bool isPlain(const c10::IValue& v) {
  if (v.isList()) {
    auto list = v.toListRef();
    return std::all_of(list.begin(), list.end(), isPlain);
  }
  if (v.isTuple()) {
    auto& elements = v.toTupleRef().elements();
    return std::all_of(elements.begin(), elements.end(), isPlain);
  }
  return v.isNone() || v.isBool() || v.isInt() || v.isDouble() || v.isString();
}

// What nothing but a caller reads of the module itself: names, numbers, lists of them. Freezing takes them
// out; those that a file says of every module stay away, since they would not be true.
void keepPlainAttributes(const jit::Module& loaded, jit::Module& frozen) {
  auto type = loaded.type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    auto& name = type->getAttributeName(i);
    if (name == "training" || name == "_is_full_backward_hook" || frozen.hasattr(name)) continue;
    if (auto value = loaded.attr(name); isPlain(value))
      frozen.register_attribute(name, type->getAttribute(i), value.deepcopy());
  }
}

void numberNodes(Subject& s) {
  forEachNode(s.graph()->block(), [&](jit::Node* n) {
    NodeInfo info;
    info.id = static_cast<int>(s.nodes.size());
    info.op = n->kind().toQualString();
    info.where = userLocation(n);
    info.range = n->sourceRange();
    s.nodes.push_back(std::move(info));
  });
  // After all of them: one node's line may be another's.
  int id = 0;
  forEachNode(s.graph()->block(), [&](jit::Node* n) { setNodeId(n, id++); });
}

bool ownsGraphs(const jit::Module& module) {
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (!attribute.value.isObject()) continue;
    auto name = attribute.value.toObjectRef().type()->name();
    if (name && name->qualifiedName() == kRunnerClass) return true;
  }
  return false;
}

// Those that forward still uses: attributes, and what freezing made constants of, such as the list that the
// script of an LSTM keeps its weights in.
void countParameters(const jit::Module& loaded, Subject& s) {
  std::set<const void*> used;  // by memory, so that shared weights are one
  auto memoryOf = [](const at::Tensor& t) {
    return t.defined() && t.has_storage() ? t.storage().data() : nullptr;
  };
  for (const auto& p : s.module.named_parameters()) used.insert(memoryOf(p.value));
  forEachNode(s.graph()->block(), [&](jit::Node* n) {
    auto constant = n->kind() == jit::prim::Constant ? jit::toIValue(n->output()) : std::nullopt;
    if (constant && constant->isTensor()) used.insert(memoryOf(constant->toTensor()));
    if (constant && constant->isTensorList())
      for (const at::Tensor& t : constant->toTensorVector()) used.insert(memoryOf(t));
  });
  for (const auto& p : loaded.named_parameters())
    if (used.erase(memoryOf(p.value))) ++s.parameters, s.parameterBytes += p.value.nbytes();
}

void analyse(const jit::Module& loaded, Subject& s) {
  if (ownsGraphs(loaded))
    s.notes.push_back(
        "the module owns CUDA graphs of kadvise, and what they hold is not looked into: advise on the module "
        "that "
        "it was made from");
  s.classes = classesOf(loaded);
  auto inlined = loaded.clone(kSharedTensors);
  inlineWithScopes(inlined);
  if (s.format.empty()) s.format = formatOf(*inlined.get_method("forward").graph());
  // Parameters stay attributes under the user's names: artefacts are bound by name, and an optimised module
  // keeps its state_dict. Numerics are untouched.
  noteFoldedOnCpu(*inlined.get_method("forward").graph(), s.notes);
  readListedParameters(*inlined.get_method("forward").graph(), inlined);
  takeConstantNumbers(*inlined.get_method("forward").graph());  // before freezing folds
  HeldTensors held(inlined.get_method("forward").graph(), HeldFrom::Folding);
  s.module = torch::jit::freeze_module(inlined, {}, /*freezeInterfaces=*/true, /*preserveParameters=*/true);
  auto graph = s.graph();
  held.release(*graph);
  settleOptionalAttributes(*graph, s.module);
  s.original = s.module.clone(kSharedTensors);
  keepPlainAttributes(loaded, s.module);
  noteLostMethods(loaded, s.notes);
  noteLostDetach(*inlined.get_method("forward").graph(), s.notes);
  s.unsafePieces = placesOfUnsafePieces(*graph);
  lowerKeptResults(*graph, s.module);
  paddingsAsNumbers(*graph, s.module);
  normalise(graph);
  numberNodes(s);
  countParameters(loaded, s);
  if (s.samples.empty()) s.guessedInputs = guessInputs(s.module);
}

}  // namespace

int nodeId(const jit::Node* n) {
  auto range = n->sourceRange();
  auto& source = range.source();
  if (!source || source->filename() != kNodeFile) return -1;
  return static_cast<int>(source->starting_line_no());
}

void setNodeId(jit::Node* n, int id) { n->setSourceRange(rangeWithId(kUsersText, id)); }
jit::Value* insertedBefore(jit::Node* before, c10::Symbol kind, at::ArrayRef<jit::Value*> inputs,
                           const c10::TypePtr& type) {
  jit::Node* made = before->owningGraph()->create(kind, inputs)->insertBefore(before);
  made->setSourceRange(jit::SourceRange());
  return made->output()->setType(type);
}

bool loadHalfFor(const std::string& device) {
  return device == "cpu" || ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

void setMadeId(jit::Node* n, int id) { n->setSourceRange(rangeWithId(kMadeText, id)); }

bool isMade(const jit::Node* n) {
  return nodeId(n) >= 0 && n->sourceRange().source()->text_str().str() == kMadeText;
}

Location locate(const jit::Node* n, const std::vector<NodeInfo>& nodes) {
  int id = nodeId(n);
  return id >= 0 && id < static_cast<int>(nodes.size()) ? nodes[static_cast<std::size_t>(id)].where
                                                        : Location{};
}

std::string valueId(const jit::Value* v) {
  const jit::Node* n = v->node();
  if (n->kind() == jit::prim::Param) {
    bool ofForward = n->owningBlock() == n->owningGraph()->block();  // not of a loop's or an if's block
    return ofForward && v->offset() > 0 ? "in." + std::to_string(v->offset() - 1) : "";
  }
  int id = nodeId(n);
  return id < 0 ? "" : std::to_string(id) + "." + std::to_string(v->offset());
}

std::string traceName(const jit::Value* v) {
  auto k = v->node()->kind();
  bool lineless =
      k == jit::prim::ListConstruct || k == jit::prim::TupleConstruct || k == jit::prim::TupleUnpack;
  for (std::size_t i = 0; lineless && i < v->uses().size(); ++i)
    if (int reader = nodeId(v->uses()[i].user); reader >= 0)
      return std::to_string(reader) + ":" + std::to_string(v->uses()[i].offset);
  return valueId(v);
}

Subject loadSubject(const std::string& path) {
  auto archive = checkedTorchFile(path);
  Subject s;
  auto loaded = isExportedProgram(archive) ? fromExported(path, s) : fromTorchScript(path, archive, s);
  if (!loaded.find_method("forward")) throw Error(path, "has no method \"forward\"");
  try {
    analyse(loaded, s);
    return s;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(path, "cannot be analysed: " + briefly(e));
  }
}

}  // namespace kadvise::graph
