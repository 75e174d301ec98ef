#include "profiler/trace.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/result_names.h"
#include "profiler/bind.h"
#include "profiler/failure.h"
#include "profiler/own_state.h"
#include "profiler/region_inputs.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

constexpr std::size_t kMostItems = 64;        // of a list, in values.json
constexpr std::size_t kMostSightings = 1000;  // of one value, in a loop

Json entryOf(const Tensor& t) {
  if (t.is_nested()) return {{"kind", "object"}};  // it has no sizes to ask for
  Json e = {{"kind", "tensor"},
            {"dtype", wordOf(t.scalar_type())},
            {"shape", t.sizes().vec()},
            {"device", t.device().str()}};
  if (t.layout() != c10::kStrided) return e["layout"] = c10::str(t.layout()), e;
  e["strides"] = t.strides().vec();
  e["contiguous"] = t.is_contiguous();
  return e;
}

template <class Elements>
Json entryOfItems(const char* kind, const Elements& elements);

Json entryOf(const IValue& v) {
  if (v.isTensor()) return v.toTensor().defined() ? entryOf(v.toTensor()) : Json{{"kind", "none"}};
  if (v.isNone()) return {{"kind", "none"}};
  if (v.isInt()) return {{"kind", "int"}, {"value", v.toInt()}};
  if (v.isBool()) return {{"kind", "bool"}, {"value", v.toBool()}};
  if (v.isString()) return {{"kind", "str"}, {"value", v.toStringRef()}};
  if (v.isDouble()) {
    Json e = {{"kind", "float"}};
    if (std::isfinite(v.toDouble())) e["value"] = v.toDouble();  // JSON has no infinity
    return e;
  }
  if (v.isDevice()) return {{"kind", "device"}, {"value", v.toDevice().str()}};
  if (v.isList()) return entryOfItems("list", v.toListRef());
  if (v.isTuple()) return entryOfItems("tuple", v.toTupleRef().elements());
  return {{"kind", "object"}};
}

template <class Elements>
Json entryOfItems(const char* kind, const Elements& elements) {
  Json items = Json::array();
  std::size_t length = 0;
  for (const IValue& e : elements)
    if (++length <= kMostItems) items.push_back(entryOf(e));
  return {{"kind", kind}, {"items", items}, {"length", length}};
}

// The id that kadvise-graph gave the node. It comes back from a file as the range that the loaded code was
// generated from; in a graph that was never saved it is the node's own range.
std::optional<std::size_t> idOf(const Node* n) {
  torch::jit::SourceRange range = n->sourceRange();
  if (!range.source()) return std::nullopt;
  if (auto generated = range.findSourceRangeThatGenerated()) range = *generated;
  if (!range.source() || range.source()->filename() != "node") return std::nullopt;
  return range.source()->starting_line_no();
}

// Loading puts the range of a loop or if on the constants it makes for them as well, and constants are in the
// graph.
bool isFixed(const Node* n) {
  return n->kind() == c10::prim::Constant || n->kind() == c10::prim::GetAttr || n->kind() == c10::prim::Param;
}

// A list that a loop fills is another one behind it.
bool isFilled(const Value* list) {
  if (list->node()->kind() != c10::prim::ListConstruct) return false;
  return std::any_of(list->uses().begin(), list->uses().end(), [](const torch::jit::Use& use) {
    auto* schema = use.user->maybeSchema();
    if (!schema || use.offset >= schema->arguments().size()) return false;
    auto* alias = schema->arguments()[use.offset].alias_info();
    return alias && alias->isWrite();
  });
}

// Where the results stand in kadvise-graph's graph, see core/result_names.h; as they are here, where the file
// says nothing else.
std::vector<std::size_t> placesOfResults(const Node* n) {
  std::vector<std::size_t> said, asHere;
  std::set<std::size_t> distinct;
  for (std::size_t k = 0; k < n->outputs().size(); ++k) {
    asHere.push_back(k);
    auto place = placeOfResult(n->output(k)->debugName());
    if (place && distinct.insert(*place).second) said.push_back(*place);
  }
  return !n->blocks().empty() && said.size() == asHere.size() ? said : asHere;
}

class Watcher {
 public:
  Watcher(torch::jit::Graph& graph, const std::set<std::string>& keep) : graph_(graph), keep_(keep) {
    nameBlock(graph.block());
    for (auto& [value, names] : names_) {
      Node* maker = value->node();
      Node* watcher = watch(value, names);
      if (maker->kind() == c10::prim::Param) watcher->insertAfter(maker->owningBlock()->param_node());
      else watcher->insertAfter(maker);
    }
    for (auto& [reader, list, name] : readers_) watch(list, {name})->insertBefore(reader);
  }

  Trace take() { return std::move(trace_); }

  void see(const std::vector<std::string>& names, const IValue& value) {
    std::size_t& sightings = sightings_[names.front()];
    if (++sightings > kMostSightings) return;
    Json entry = entryOf(value);
    for (const std::string& name : names) {
      auto [at, isNew] = trace_.entries.emplace(name, entry);
      if (!isNew && !sameEntry(*at, entry)) (*at)["varies"] = true;
    }
    if (sightings == 1) keep(names, value);
  }

 private:
  static bool sameEntry(Json known, const Json& now) {
    known.erase("varies");
    return known == now;
  }

  void keep(const std::vector<std::string>& names, const IValue& value) {
    std::optional<IValue> copy;  // now: a later in-place write must not change it
    for (const std::string& name : names) {
      if (!keep_.count(name)) continue;
      if (!copy) copy = mapTensors(value, [](const Tensor& t) { return cloneOf(t); });
      trace_.kept.emplace(name, *copy);
    }
  }

  void addName(Value* value, const std::string& name) {
    auto at = index_.find(value);
    if (at == index_.end()) {
      at = index_.emplace(value, names_.size()).first;
      names_.push_back({value, {}});
    }
    names_[at->second].second.push_back(name);
  }

  void nameBlock(Block* block) {
    for (Node* n : block->nodes()) {
      if (isFixed(n)) continue;
      auto id = idOf(n);
      std::string text = id ? std::to_string(*id) : "";
      // Desugaring may give two nodes one range; the first keeps the name.
      if (id && taken_.insert(*id).second) nameNode(n, text);
      for (Block* inner : n->blocks()) nameBlock(inner);
    }
  }

  void nameNode(Node* n, const std::string& id) {
    const std::vector<std::size_t> places = placesOfResults(n);
    for (std::size_t k = 0; k < places.size(); ++k)
      addName(n->output(k), id + "." + std::to_string(places[k]));
    for (std::size_t k = 0; k < n->inputs().size(); ++k) {
      const Node* maker = n->input(k)->node();
      if (isFixed(maker) || idOf(maker)) continue;
      std::string name = id + ":" + std::to_string(k);
      if (isFilled(n->input(k))) readers_.push_back({n, n->input(k), name});
      else addName(n->input(k), name);
    }
    for (std::size_t j = 0; j < n->blocks().size(); ++j) {
      auto parameters = n->blocks()[j]->inputs();
      for (std::size_t k = 0; k < parameters.size(); ++k)
        addName(parameters[k], id + ".b" + std::to_string(j) + "." + std::to_string(k));
    }
  }

  // A node without outputs that hands the value to us. The interpreter pushes a frame number on top of the
  // value.
  Node* watch(Value* value, const std::vector<std::string>& names) {
    auto* node = new torch::jit::ProfileIValueOp(&graph_, [this, names](std::vector<IValue>& stack) {
      stack.pop_back();
      IValue seen = std::move(stack.back());
      stack.pop_back();
      see(names, seen);
    });
    node->addInput(value);
    return node;
  }

  struct Reader {
    Node* node;
    Value* list;
    std::string name;
  };

  torch::jit::Graph& graph_;
  const std::set<std::string>& keep_;
  std::vector<std::pair<Value*, std::vector<std::string>>> names_;  // in the order of the graph
  std::unordered_map<Value*, std::size_t> index_;
  std::vector<Reader> readers_;  // of filled lists, each of which sees its own
  std::set<std::size_t> taken_;
  std::unordered_map<std::string, std::size_t> sightings_;
  Trace trace_{Json::object(), {}};
};

// "12.0[1]" -> "12.0"; the elements are looked up when the value is written.
std::string withoutIndices(const std::string& name) { return name.substr(0, name.find('[')); }

IValue lookUp(const Trace& trace, const std::string& name) {
  auto kept = trace.kept.find(withoutIndices(name));
  if (kept == trace.kept.end()) throw Error("trace", "the run made no value named " + name);
  IValue value = kept->second;
  for (auto open = name.find('['); open != std::string::npos; open = name.find('[', open + 1)) {
    auto index = static_cast<std::size_t>(std::stoul(name.substr(open + 1)));
    std::vector<IValue> elements = value.isTuple()  ? value.toTupleRef().elements().vec()
                                   : value.isList() ? value.toListRef().vec()
                                                    : std::vector<IValue>{};
    if (index >= elements.size()) throw Error("trace", "the value " + name + " has no such element");
    value = elements[index];
  }
  return value;
}

}  // namespace

Trace traceRun(const torch::jit::Module& base, const Values& inputs, const Device& device,
               const std::set<std::string>& keep) {
  auto method = base.find_method("forward");
  if (!method) throw Error("trace", "the module has no forward method");
  auto graph = method->graph()->copy();
  torch::jit::Inline(*graph);
  Watcher watcher(*graph, keep);
  c10::InferenceMode inference;
  std::vector<IValue> stack = cloneOf(inputs);
  stack.insert(stack.begin(), base._ivalue());
  method->function().getSchema().checkAndNormalizeInputs(stack);  // fills in defaults
  for (std::size_t i = 1; i < stack.size(); ++i) watcher.see({"in." + std::to_string(i - 1)}, stack[i]);
  torch::jit::Code code(graph, "trace");
  const WithState own(base, rememberable(base));  // others are to find the module as it was
  torch::jit::InterpreterState(code).run(stack);
  synchronize(device);
  return watcher.take();
}

Json trace(Session& session, const Json& arguments, const Replies& replies) {
  struct Save {
    std::string file;
    std::vector<std::string> values;
  };
  std::vector<Save> saves;
  std::set<std::string> keep;
  for (const Json& s : arguments.at("save")) {
    saves.push_back({s.at("file"), s.at("values")});
    for (const std::string& name : saves.back().values) keep.insert(withoutIndices(name));
  }

  replies.progress("loading the base module");
  torch::jit::Module base = loadBound(session, moduleRefFrom(arguments.at("base")));
  replies.progress("running the base module");
  Trace seen = traceRun(base, session.inputs, session.device, keep);

  auto out = arguments.at("out").get<std::string>();
  if (!out.empty()) writeFile(session.workDir / out, Json{{"values", seen.entries}}.dump());
  for (std::size_t i = 0; i < saves.size(); ++i) {
    Values values;
    for (const std::string& name : saves[i].values) values.push_back(lookUp(seen, name));
    writeRegionInputs(session.workDir / saves[i].file, saves[i].values, values, session.inputs);
    replies.progress("saving " + saves[i].file, double(i + 1), double(saves.size()));
  }
  return {{"values", out}};
}

}  // namespace kadvise
