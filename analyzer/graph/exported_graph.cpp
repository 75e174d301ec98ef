#include "analyzer/graph/exported_graph.h"

#include <algorithm>
#include <string_view>

#include "analyzer/core/error.h"
#include "analyzer/graph/exported_place.h"
#include "analyzer/graph/exported_sizes.h"
#include "analyzer/graph/operator_hint.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr std::string_view kOperators = "torch.ops.", kHigherOrder = "torch.ops.higher_order.";

// They compute nothing: they stop a run whose sizes or values are outside of what was exported.
constexpr std::string_view kGuards[] = {
    "torch.ops.aten._assert_scalar.default",      "torch.ops.aten._assert_tensor_metadata.default",
    "torch.ops.aten._assert_async.default",       "torch.ops.aten._assert_async.msg",
    "torch.ops.aten.sym_constrain_range.default", "torch.ops.aten.sym_constrain_range_for_size.default"};

// A number that is read from a tensor has the type that the program gives it.
constexpr std::string_view kReads[] = {"torch.ops.aten.item.default",
                                       "torch.ops.aten._local_scalar_dense.default"};

// Gradients only: the value itself is handed on.
constexpr std::string_view kDetach = "torch.ops.aten.detach_.default";

template <std::size_t N>
bool isOneOf(const std::string_view (&table)[N], const std::string& target) {
  return std::find(std::begin(table), std::end(table), target) != std::end(table);
}

const Json* argumentNamed(const Json& inputs, const std::string& name) {
  for (auto& i : inputs)
    if (i.at("name") == name) return &i.at("arg");
  return nullptr;
}

// "torch.ops.aten.add.Tensor" -> aten::add, Tensor
c10::OperatorName operatorName(const std::string& target) {
  auto rest = target.substr(kOperators.size());
  auto space = rest.find('.'), overload = rest.rfind('.');
  if (space == std::string::npos || overload <= space)
    throw Error("", "calls " + target + ", which is not an operator that kadvise knows");
  auto overloadName = rest.substr(overload + 1);
  return {rest.substr(0, space) + "::" + rest.substr(space + 1, overload - space - 1),
          overloadName == "default" ? "" : overloadName};
}

c10::FunctionSchema schemaOf(const c10::OperatorName& name) {
  if (auto found = c10::Dispatcher::singleton().findSchema(name)) return found->schema();
  throw Error("", "uses the operator " + name.name + ", " + whoRegisters(name.name));
}

std::vector<Value*> argumentsOf(const c10::FunctionSchema& schema, const Json& inputs,
                                const ExportedValues& values) {
  std::vector<Value*> out;
  std::size_t used = 0;
  for (auto& formal : schema.arguments()) {
    if (auto* given = argumentNamed(inputs, formal.name())) {
      out.push_back(argumentValue(values, *given, formal));
      ++used;
    } else if (auto fallback = formal.default_value()) {
      out.push_back(values.graph.insertConstant(*fallback));
    } else {
      throw Error("", "calls " + schema.name() + " without its argument " + formal.name() +
                          " (another version of torch?)");
    }
  }
  if (used != inputs.size())
    throw Error(
        "", "calls " + schema.name() + " with an argument that it does not have (another version of torch?)");
  return out;
}

void nameList(const Json& names, Value* list, ExportedValues& values) {
  Node* unpack = values.graph.insertNode(values.graph.createListUnpack(list, names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) values.byName[names[i].at("name")] = unpack->output(i);
}

void nameOutput(const Json& output, Value* value, ExportedValues& values) {
  auto [tag, named] = tagged(output);
  if (tag == "as_tensor") values.byName[named.at("name")] = value;
  else if (tag == "as_tensors") nameList(named, value, values);
  else if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool")
    values.byName[named.at("as_name")] = value;
  else if (tag == "as_optional_tensor" && named.contains("as_tensor"))
    values.byName[named["as_tensor"].at("name")] = value;
  else if (tag != "as_none" && tag != "as_optional_tensor")
    throw Error("", "has an operator that returns " + tag + ", which kadvise does not read");
}

// TorchScript chooses an overload by the arguments. A number in place of a tensor has an overload of its own,
// with the same meaning; any other choice would be another operator.
void requireSameOverload(const Node* n, const c10::FunctionSchema& wanted) {
  auto* chosen = n->maybeSchema();
  if (!chosen) throw Error("", "calls " + wanted.name() + " with arguments that TorchScript has no form of");
  if (chosen->overload_name() == wanted.overload_name()) return;
  for (std::size_t i = 0; i < n->inputs().size() && i < wanted.arguments().size(); ++i)
    if (wanted.arguments()[i].type()->kind() == c10::TypeKind::TensorType && !isTensor(n->input(i))) return;
  throw Error("", "calls " + wanted.name() + "." + wanted.overload_name() +
                      " with arguments by which TorchScript would take its form \"" +
                      chosen->overload_name() + "\"");
}

// Dropout and batch norm say at each call whether they train.
bool trains(const Json& inputs) {
  for (const char* name : {"train", "training"}) {
    auto* given = argumentNamed(inputs, name);
    if (given && given->contains("as_bool")) return given->at("as_bool").get<bool>();
  }
  return false;
}

std::vector<std::string> namesOf(const Json& arguments) {
  std::vector<std::string> out;
  for (auto& a : arguments) {
    auto [tag, value] = tagged(a);
    if (tag == "as_tensor") out.push_back(value.at("name"));
    else if (tag == "as_tensors")
      for (auto& t : value) out.push_back(t.at("name"));
    else if (tag == "as_sym_int" || tag == "as_sym_bool" || tag == "as_sym_float")
      out.push_back(value.at("as_name"));
    else
      throw Error("", "passes an argument of the kind " + tag +
                          " out of an inner program, which kadvise does not read");
  }
  return out;
}

// The mode that a wrapper sets matters to gradients, or not at all: its program can stand in the outer one.
bool isPlainWrapper(const std::string& name, const Json& inputs) {
  if (name == "wrap_with_set_grad_enabled") return true;
  constexpr std::size_t kEnabled = 2;  // device, dtype, enabled, cache, program, …
  if (name != "wrap_with_autocast" || inputs.size() <= kEnabled) return false;
  auto& enabled = inputs[kEnabled].at("arg");
  return enabled.contains("as_bool") && !enabled.at("as_bool").get<bool>();
}

}  // namespace

void ExportedGraph::append(const Json& nodes, ExportedValues& values) {
  for (auto& node : nodes) {
    auto place = placeOf(node.value("metadata", Json::object()));
    auto scope = place.scope.empty()
                     ? c10::make_intrusive<jit::Scope>()
                     : c10::make_intrusive<jit::Scope>()->push(c10::Symbol::scope(place.scope));
    jit::WithCurrentScope guard(graph_, scope);
    Node* before = graph_.return_node()->prev();
    appendNode(node, node.at("target").get<std::string>(), values);
    if (!place.range.source()) continue;
    for (Node* n = before->next(); n != graph_.return_node(); n = n->next())
      if (!n->sourceRange().source()) n->setSourceRange(place.range);
  }
}

void ExportedGraph::appendNode(const Json& node, const std::string& target, ExportedValues& values) {
  auto& inputs = node.at("inputs");
  auto& outputs = node.at("outputs");
  if (isOneOf(kGuards, target)) {
    ++guards_;
  } else if (target.rfind(kHigherOrder, 0) == 0) {
    appendInner(node, target, values);
  } else if (isSizeArithmetic(target)) {
    nameOutput(outputs.at(0), sizeArithmetic(values, target, inputs), values);
  } else if (target == kDetach) {
    nameOutput(outputs.at(0), plainValue(values, inputs.at(0).at("arg")), values);
  } else if (isOneOf(kReads, target)) {
    auto symbol = outputs.at(0).contains("as_sym_int")     ? jit::aten::Int
                  : outputs.at(0).contains("as_sym_float") ? jit::aten::Float
                                                           : jit::aten::Bool;
    nameOutput(outputs.at(0), graph_.insert(symbol, {plainValue(values, inputs.at(0).at("arg"))}), values);
  } else if (target.rfind(kOperators, 0) == 0) {
    appendOperator(node, target, values);
  } else {
    throw Error("", "calls " + target + ", which is not an operator that kadvise knows");
  }
}

void ExportedGraph::appendOperator(const Json& node, const std::string& target, ExportedValues& values) {
  auto name = operatorName(target);
  auto schema = schemaOf(name);
  auto arguments = argumentsOf(schema, node.at("inputs"), values);
  auto& returns = schema.returns();
  Node* n =
      graph_.insertNode(graph_.create(c10::Symbol::fromQualString(name.name), arguments, returns.size()));
  for (std::size_t i = 0; i < returns.size(); ++i) n->output(i)->setType(returns[i].type());
  requireSameOverload(n, schema);
  if (trains(node.at("inputs"))) ++training_;
  auto& outputs = node.at("outputs");
  for (std::size_t i = 0; i < outputs.size() && i < returns.size(); ++i)
    nameOutput(outputs[i], n->output(i), values);
}

void ExportedGraph::appendInner(const Json& node, const std::string& target, ExportedValues& values) {
  auto name = target.substr(kHigherOrder.size());
  auto& inputs = node.at("inputs");
  auto program = std::find_if(inputs.begin(), inputs.end(),
                              [](const Json& i) { return i.at("arg").contains("as_graph"); });
  if (!isPlainWrapper(name, inputs) || program == inputs.end())
    throw Error(
        "",
        "holds " + name +
            ", an operator of higher order, which kadvise does not read yet; export the module without it");
  auto& inner = program->at("arg").at("as_graph").at("graph");
  ExportedValues inside{graph_, {}};
  auto given = program + 1;
  for (auto& input : namesOf(inner.at("inputs"))) {
    if (given == inputs.end())
      throw Error("", "is damaged: an inner program gets fewer values than it takes");
    inside.byName[input] = plainValue(values, (given++)->at("arg"));
  }
  append(inner.at("nodes"), inside);
  auto results = namesOf(inner.at("outputs")), names = namesOf(node.at("outputs"));
  for (std::size_t i = 0; i < results.size() && i < names.size(); ++i)
    values.byName[names[i]] = inside.at(results[i]);
}

std::vector<std::string> ExportedGraph::notes() const {
  std::vector<std::string> out;
  if (guards_ > 0)
    out.push_back(std::to_string(guards_) + (guards_ == 1 ? " check" : " checks") +
                  " of sizes and values in the exported program left out: inputs outside of what was "
                  "exported are not refused");
  if (training_ > 0)
    out.push_back(std::to_string(training_) + (training_ == 1 ? " operator" : " operators") +
                  " of the exported program (dropout, batch norm) in training mode: call module.eval() "
                  "before torch.export.export");
  return out;
}

}  // namespace kadvise::graph
