#include "analyzer/graph/subject.h"

#include <filesystem>
#include <fstream>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/scopes.h"

namespace kadvise::graph {
namespace {

constexpr const char* kNodeFile = "node";

void requireArchive(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path, "no such file");
  if (!fs::is_regular_file(path, ec)) throw Error(path, "is not a regular file; give a module saved by torch.jit.save");
  char magic[4] = {};
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path, "cannot be read");
  in.read(magic, sizeof magic);
  if (in.gcount() != 4 || magic[0] != 'P' || magic[1] != 'K')
    throw Error(path, "is not a TorchScript archive (not a zip file); save the module with torch.jit.save");
}

std::string whyNotLoaded(const std::exception& e) {
  std::string text = e.what(), brief = briefly(e);
  for (const char* mark : {"Unknown builtin op: ", "Unknown type name "}) {
    auto at = text.find(mark);
    if (at == std::string::npos) continue;
    auto from = at + std::string(mark).size();
    auto name = text.substr(from, text.find_first_of(".\n '", from) - from);
    return "uses the operator or class " + name + ", which no loaded library registers; name its library with --op-library";
  }
  if (text.find("constants.pkl") != std::string::npos || text.find("data.pkl") != std::string::npos)
    return "holds no TorchScript code (weights, or a pickled module?); make one with torch.jit.trace or torch.jit.script and "
           "save it with torch.jit.save";
  return "cannot be loaded: " + brief;
}

torch::jit::Module load(const std::string& path) {
  try {
    auto module = torch::jit::load(path, c10::Device(c10::kCPU));
    module.eval();
    return module;
  } catch (const std::exception& e) {
    throw Error(path, whyNotLoaded(e));
  }
}

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

// A trace writes its graph without Python columns; the class of a traced module says so in its type's annotations
// only, so look at the recorded ranges.
std::string formatOf(const torch::jit::Graph& graph) {
  for (auto* n : graph.nodes()) {
    auto range = n->sourceRange().findSourceRangeThatGenerated();
    auto place = range ? range->file_line_col() : std::nullopt;
    if (place && std::get<1>(*place) > 0 && std::get<2>(*place) > 0) return "scripted";
  }
  return "traced";
}

// A bias that a module does not have is an attribute too, and freezing with parameters kept leaves it in the graph.
void foldAbsentParameters(jit::Graph& graph, const jit::Module& module) {
  forEachNode(graph.block(), [&](jit::Node* n) {
    auto path = n->kind() == jit::prim::GetAttr ? attributePath(n->output()) : std::nullopt;
    if (!path || !attributeAt(module, *path).isNone()) return;
    jit::WithInsertPoint here(n);
    n->output()->replaceAllUsesWith(graph.insertConstant(c10::IValue()));
  });
  jit::EliminateDeadCode(graph.shared_from_this());
}

// "__torch__.transformers.models.bert.___torch_mangle_7.BertLayer" -> "BertLayer"
std::map<std::string, std::string> classesOf(const jit::Module& module) {
  std::map<std::string, std::string> out;
  for (const auto& m : module.named_modules())
    if (auto name = m.value.type()->name()) out[m.name] = name->name();
  return out;
}

void numberNodes(Subject& s) {
  forEachNode(s.graph()->block(), [&](jit::Node* n) {
    NodeInfo info;
    info.id = static_cast<int>(s.nodes.size());
    info.op = n->kind().toQualString();
    info.where = userLocation(n);
    info.range = n->sourceRange();
    setNodeId(n, info.id);
    s.nodes.push_back(std::move(info));
  });
}

}  // namespace

int nodeId(const jit::Node* n) {
  auto range = n->sourceRange();
  auto& source = range.source();
  if (!source || source->filename() != kNodeFile) return -1;
  return static_cast<int>(source->starting_line_no());
}

void setNodeId(jit::Node* n, int id) {
  n->setSourceRange(jit::SourceRange(
      std::make_shared<jit::Source>(std::string("n"), std::string(kNodeFile), static_cast<std::size_t>(id)), 0, 1));
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

Subject loadSubject(const std::string& path) {
  requireArchive(path);
  auto loaded = load(path);
  if (!loaded.find_method("forward")) throw Error(path, "has no method \"forward\"");
  try {
    Subject s;
    s.savedDevice = deviceOf(path);
    s.classes = classesOf(loaded);
    auto inlined = loaded.clone(kSharedTensors);
    inlineWithScopes(inlined);
    s.format = formatOf(*inlined.get_method("forward").graph());
    // Parameters stay attributes under the user's names: artefacts are bound by name, and an optimised module keeps
    // its state_dict. Numerics are untouched.
    s.module = torch::jit::freeze_module(inlined, {}, /*freezeInterfaces=*/true, /*preserveParameters=*/true);
    auto graph = s.graph();
    foldAbsentParameters(*graph, s.module);
    s.original = s.module.clone(kSharedTensors);
    normalise(graph);
    numberNodes(s);
    for (const auto& p : s.module.named_parameters()) ++s.parameters, s.parameterBytes += p.value.nbytes();
    return s;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw Error(path, "cannot be analysed: " + briefly(e));
  }
}

}  // namespace kadvise::graph
