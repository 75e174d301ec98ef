// An einsum as one batched product of copies that generated kernels make.
#pragma once

#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/einsum_equation.h"

namespace kadvise::graph {

// Whether each group lies as one dimension of memory, so that a view makes matrices of the operand.
bool liesInGroups(const std::string& letters, const EquationGroups&, const TracedValue&);

// On a GPU, where both operands were seen, with equal sizes for equal letters, and copies are not small.
bool isWorthOwnCopies(const torch::jit::Node* einsum, const Equation&, const Analysis&);

MadeRewrite productOfCopies(torch::jit::Node* einsum, const Equation&, const TracedValues&);

}  // namespace kadvise::graph
