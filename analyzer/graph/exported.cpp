#include "analyzer/graph/exported.h"

#include "analyzer/core/error.h"
#include "analyzer/core/foreign_json.h"
#include "analyzer/graph/exported_archive.h"
#include "analyzer/graph/exported_graph.h"
#include "analyzer/graph/exported_module.h"

namespace kadvise::graph {
namespace {

using c10::IValue;
using jit::Value;
using Kind = ExportedModule::Kind;

// Small constants stand in the graph, as a trace has them; larger ones are buffers, so that artefacts need
// not carry them.
constexpr std::int64_t kSmallConstant = 16;

struct Conversion {
  explicit Conversion(const std::string& path)
      : archive(path),
        program(archive.program().at("graph_module")),
        graph(std::make_shared<jit::Graph>()),
        values{*graph, {}} {}

  ExportedArchive archive;
  const Json& program;
  ExportedModule module;
  std::shared_ptr<jit::Graph> graph;
  ExportedValues values;
  std::vector<std::string> inputs;  // of forward, without self
  std::vector<bool> takesLeaf;      // for each leaf of (args, kwargs): whether forward takes it

  void addWeight(const Json& spec, const std::string& path, Kind kind);
  void addConstant(const Json& spec);
  void addUserInput(const Json& argument);
  void addInput(const Json& spec);
  void addMutations();
  void addOutputs();
  std::vector<IValue> samples();
};

void Conversion::addWeight(const Json& spec, const std::string& path, Kind kind) {
  module.add(path, archive.hasWeight(path) ? archive.weight(path) : archive.constant(path), kind);
  values.byName[spec.at("arg").at("name")] = module.read(*graph, path);
}

void Conversion::addConstant(const Json& spec) {
  auto path = spec.at("tensor_constant_name").get<std::string>();
  auto tensor = archive.constant(path);
  Value* value = nullptr;
  if (tensor.numel() <= kSmallConstant) {
    value = graph->insertConstant(tensor);
  } else {
    module.add(path, tensor, Kind::Buffer);
    value = module.read(*graph, path);
  }
  values.byName[spec.at("arg").at("name")] = value;
}

// A number or None that was fixed when the program was exported is no argument any more.
void Conversion::addUserInput(const Json& argument) {
  auto [tag, value] = tagged(argument);
  bool tensor = tag == "as_tensor", size = tag == "as_sym_int", number = tag == "as_sym_float";
  bool named = tensor || ((size || number) && value.contains("as_name"));
  takesLeaf.push_back(named);
  if (tag == "as_custom_obj") throw Error("", "takes an object of a custom class, which kadvise cannot make");
  if (!named) return;
  auto name = value.at(tensor ? "name" : "as_name").template get<std::string>();
  Value* input = graph->addInput(name);
  inputs.push_back(name);
  if (size) input->setType(c10::IntType::get());
  if (number) input->setType(c10::FloatType::get());
  values.byName[name] = input;
}

void Conversion::addInput(const Json& spec) {
  auto [kind, body] = tagged(spec);
  if (kind == "parameter") return addWeight(body, body.at("parameter_name"), Kind::Parameter);
  if (kind == "buffer") return addWeight(body, body.at("buffer_name"), Kind::Buffer);
  if (kind == "tensor_constant") return addConstant(body);
  if (kind == "user_input") return addUserInput(body.at("arg"));
  if (kind == "constant_input") return takesLeaf.push_back(false);
  if (kind == "custom_obj")
    throw Error("", "holds an object of a custom class, which kadvise does not read yet");
  throw Error("", "has an input of the kind " + kind + ", which kadvise does not read");
}

// A program without writes in place returns the new values of what it changes, in front of its own outputs.
void Conversion::addMutations() {
  auto write = [&](const std::string& target, const Json& body) {
    graph->insert(jit::aten::copy_, {values.at(target), values.at(body.at("arg").at("name"))});
  };
  std::unordered_map<std::string, std::string> named;
  for (auto& spec : program.at("signature").at("input_specs")) {
    auto [kind, body] = tagged(spec);
    if (kind == "buffer") named[body.at("buffer_name")] = body.at("arg").at("name");
    if (kind == "parameter") named[body.at("parameter_name")] = body.at("arg").at("name");
  }
  for (auto& spec : program.at("signature").at("output_specs")) {
    auto [kind, body] = tagged(spec);
    if (kind == "buffer_mutation") write(named.at(body.at("buffer_name")), body);
    else if (kind == "parameter_mutation") write(named.at(body.at("parameter_name")), body);
    else if (kind == "user_input_mutation") write(body.at("user_input_name"), body);
    else if (kind != "user_output")
      throw Error("", "returns a " + kind +
                          " (a program for training?); export the forward pass alone, in eval mode");
  }
}

// How deep the outputs are nested in what Python's forward returned: 0 for one tensor, 1 for a tuple of them.
std::size_t outputDepth(const Json& program) {
  auto& calls = program.at("module_call_graph");
  if (calls.empty() || calls[0].at("signature").is_null()) return 1;
  Json spec = parseForeign(calls[0]["signature"].at("out_spec").get<std::string>());
  std::function<std::size_t(const Json&)> depth = [&](const Json& node) -> std::size_t {
    if (node.at("type").is_null()) return 0;
    std::size_t deepest = 0;
    for (auto& child : node.at("children_spec")) deepest = std::max(deepest, depth(child));
    bool plain = node["type"] == "builtins.tuple" || node["type"] == "builtins.list";
    return (plain ? 1 : 2) + deepest;
  };
  return depth(spec.at(1));
}

void Conversion::addOutputs() {
  std::vector<Value*> outputs;
  for (auto& spec : program.at("signature").at("output_specs"))
    if (spec.contains("user_output")) outputs.push_back(plainValue(values, spec["user_output"].at("arg")));
  auto depth = outputDepth(program);
  if (outputs.empty()) throw Error("", "returns nothing");
  if (depth > 1)
    archive.notes().push_back(
        "the exported program returns a nested structure; its values are compared as one flat tuple, "
        "and a module that --apply writes returns that tuple");
  Value* result = depth == 0 && outputs.size() == 1
                      ? outputs[0]
                      : graph->insertNode(graph->createTuple(outputs))->output();
  graph->registerOutput(result);
}

void addLeaves(const IValue& value, std::vector<IValue>& out) {
  if (value.isTuple()) {
    for (auto& e : value.toTupleRef().elements()) addLeaves(e, out);
  } else if (value.isList()) {
    for (const IValue& e : value.toListRef()) addLeaves(e, out);
  } else if (value.isGenericDict()) {
    for (auto& e : value.toGenericDict()) addLeaves(e.value(), out);
  } else {
    out.push_back(value);
  }
}

std::vector<IValue> Conversion::samples() {
  std::vector<IValue> leaves, out;
  addLeaves(archive.samples(), leaves);
  if (leaves.size() != takesLeaf.size()) return {};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!takesLeaf[i]) continue;
    auto& leaf = leaves[i];
    if (!leaf.isTensor() && !leaf.isInt() && !leaf.isDouble()) return {};
    out.push_back(leaf.isTensor() ? IValue(leaf.toTensor().detach()) : leaf);
  }
  return out;
}

Exported convert(const std::string& path) {
  Conversion c(path);
  c.module.addSelf(*c.graph);
  for (auto& spec : c.program.at("signature").at("input_specs")) c.addInput(spec);
  ExportedGraph nodes(*c.graph);
  nodes.append(c.program.at("graph").at("nodes"), c.values);
  c.addMutations();
  c.addOutputs();
  Exported out;
  out.module = c.module.finish(c.graph);
  out.samples = c.samples();
  out.guards = sizeGuardsOf(c.archive.program(), c.inputs);
  out.savedDevice = c.archive.savedDevice();
  out.notes = c.archive.notes();
  for (auto& note : nodes.notes()) out.notes.push_back(note);
  return out;
}

}  // namespace

Exported readExported(const std::string& path) {
  try {
    return convert(path);
  } catch (const Error& e) {
    if (e.where.empty()) throw Error(path, e.reason);
    throw;
  } catch (const Json::exception&) {
    throw Error(path, "is damaged: its program is not of the form that torch.export.save writes");
  } catch (const std::exception& e) {
    throw Error(path, "cannot be read as an exported program: " + briefly(e));
  }
}

}  // namespace kadvise::graph
