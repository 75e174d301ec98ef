// Small questions about TorchScript IR that several files ask.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {
namespace jit = torch::jit;

// Module::clone(kSharedTensors) copies types and methods; clone() would copy 400 MB of weights, and make
// dense copies of placeholders.
inline constexpr bool kSharedTensors = true;

// Visits every node of a block and of the blocks inside, in execution order.
void forEachNode(jit::Block*, const std::function<void(jit::Node*)>&);

// Those that hold, in that order: for who changes the graph meanwhile.
std::vector<jit::Node*> nodesWhere(jit::Block*, const std::function<bool(jit::Node*)>& holds);

// The same node of the user's as another operator of these operands, with one result.
void replaceBy(jit::Node*, c10::Symbol, at::ArrayRef<jit::Value*> inputs);

// In execution order.
void sortByPlace(std::vector<jit::Node*>&);

// The node of the block in which the node stands, or itself; null where it stands in none.
jit::Node* holderIn(const jit::Block*, jit::Node*);

std::optional<std::int64_t> constantInt(jit::Value*);
// The dimension that a constant names, of a tensor of that rank; nullopt for what is none.
std::optional<std::size_t> dimensionAt(jit::Value*, std::size_t rank);
// Of each dimension of a transpose or permute of a tensor of that rank: which one of its operand it is;
// nullopt for other nodes, and where that is computed.
std::optional<std::vector<std::size_t>> orderOfView(jit::Node*, std::size_t rank);
bool isNone(jit::Value*);
bool isTensor(const jit::Value*);
inline bool isReadOnce(const jit::Value* v) { return v->uses().size() == 1; }
// Whether it ends in an error whenever it runs, as what a failed assert does.
bool raises(const jit::Block*);

// "encoder.layers.3.weight" for a GetAttr chain that starts at self (the graph's first input when it is a
// module); nullopt for anything else.
std::optional<std::string> attributePath(jit::Value*);

// The value at such a path of the module.
c10::IValue attributeAt(const jit::Module&, const std::string& path);

// The constant with this value at the start of the graph, made where there is none.
jit::Value* constantOf(jit::Graph&, const c10::IValue&);

// Functions from their text, and a copy of the graph of one of them, to be put into another graph.
std::shared_ptr<jit::CompilationUnit> scriptUnit(const std::string& text);
std::shared_ptr<jit::Graph> graphOfFunction(const jit::CompilationUnit&, const char* name);

// Equal constants: numbers by value whether int or float, tensors by identity of their storage, the rest by
// value.
bool sameConstant(const c10::IValue&, const c10::IValue&);

// True where nothing but the value's users can tell that the node ran.
bool isPure(jit::Node*);

// Whether it may give another result each time. LibTorch calls attention random for the probabilities that
// it may drop; with the constant 0 it drops none.
bool isRandom(jit::Node*);

// Comparisons and logical operators: their result has the dtype bool whatever they are given.
bool givesTruthValues(const jit::Node*);

// The last or most telling line of a LibTorch exception, without its C++ stack.
std::string briefly(const std::exception&);

// Whether the node's operator, by its qualified name ("aten::relu"), is in the table.
template <std::size_t N>
bool isOneOf(const std::string_view (&table)[N], const torch::jit::Node* n) {
  return std::find(std::begin(table), std::end(table), std::string_view(n->kind().toQualString())) !=
         std::end(table);
}

}  // namespace kadvise::graph
