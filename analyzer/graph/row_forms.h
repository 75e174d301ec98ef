// What the parts of the table of row_statements.cpp write.
#pragma once

#include "analyzer/graph/row_writer.h"

namespace kadvise::graph {

// word: of the language, where one function writes several operators.
using WriteRow = void (*)(const torch::jit::Node*, RowWriter&, const char* word);

struct RowWord {
  const char* name;  // "aten::relu"
  WriteRow write;
  const char* word = "";
};

// Element by element, operands broadcast from the right. The end of each list is a name that is null.
extern const RowWord kRowPointwise[];
extern const RowWord kRowChoices[];
extern const RowWord kRowActivations[];
extern const RowWord kRowLosses[];
// The same, with the second operand along the channels.
extern const RowWord kRowSlopes[];
// Along the dimension `dim`: softmax.
extern const RowWord kRowAlong[];
// Over the last dimensions: norms, with weights for those.
extern const RowWord kRowNorms[];
// By numbers that are given, one a channel.
extern const RowWord kRowChannelNorms[];
// Over `dim`, or all dimensions.
extern const RowWord kRowReductions[];
// Of several tensors, over `dim` or the last dimension: the similarity of rows.
extern const RowWord kRowPairs[];

// What it reads, whatever becomes of the layout.
void rowSame(const torch::jit::Node*, RowWriter&, const char* word);

// The node has a form that the language has not: throws Error.
[[noreturn]] void rowUnsupported(const std::string& what);

// The type of the result, in which arithmetic is done. Integers narrower than 32 bits wrap around, which the
// language does not.
RowType rowArithmeticType(const torch::jit::Node*, const RowWriter&);
RowTerm rowOperand(const torch::jit::Node*, RowWriter&, std::size_t operand, RowType);

// A float that is no constant: a scale made of sizes. Programs read it as a tensor of no dimensions.
bool isComputedNumber(const torch::jit::Value*);

// The dtype in which a program reads the value.
c10::ScalarType rowDtypeOf(const torch::jit::Value*, const TracedValues&);

// The dimensions of the pixels that an adaptive pool takes means of; 0: it is none.
int rowPixelsOf(const torch::jit::Node*);
// An adaptive pool whose result has one pixel, in every call.
bool isOnePixel(const torch::jit::Node*);

// A constant argument of the node's schema; None where there is none of the name.
c10::IValue rowConstantOf(const torch::jit::Node*, const char* name);
// An argument of the node's schema as a number or flag; nullopt where it is None or there is none of the
// name. Throws Error where it is computed.
std::optional<double> rowNumberOf(const torch::jit::Node*, const char* name);
bool rowFlagOf(const torch::jit::Node*, const char* name);
std::string rowStringOf(const torch::jit::Node*, const char* name);
// A tensor argument; nullptr where it is None.
const torch::jit::Value* rowTensorOf(const torch::jit::Node*, const char* name);
// The dtype that the run saw of the node's first result.
c10::ScalarType rowResultOf(const torch::jit::Node*, const RowWriter&);

// True, as often as the term has elements: the language has no sizes.
RowTerm rowTruth(const RowTerm& x, RowWriter&);
// The norm of order p (1, 2 or infinity) over what the program reduces.
RowTerm rowLength(const RowTerm& x, double p, RowWriter&);

// Of kadvise's and ATen's activations by name: "silu", "gelu_tanh".
RowTerm rowActivation(const std::string& name, const RowTerm& x, RowWriter&);

}  // namespace kadvise::graph
