// Values, operands and operators in the words of a model's author.
#pragma once

#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// "the input x", "the parameter encoder.weight", "the constant 0.5", "`hidden`, the result of aten::add".
std::string valueWords(const torch::jit::Value*);

// "x", "batch[mask]", "states[1]": how the author reaches it from what has a name. Words of the graph where
// nothing has.
std::string pathWords(const torch::jit::Value*);

// What makes a value: "aten::add", "a list", "the input x".
std::string makerWords(const torch::jit::Value*);

// "`dim` of aten::softmax", "the first operand of aten::matmul".
std::string operandWords(const torch::jit::Node* reader, std::size_t operand);

// What keeps an operator from being the same form of it that is wanted: "has a tensor for its second operand
// (the input y), the rule wants a number".
std::string otherFormWords(torch::jit::Node* wanted, torch::jit::Node* there);

// "0.5", "float16" where the operand is a dtype.
std::string constantWords(const c10::IValue&, const torch::jit::Node* reader, std::size_t operand);

}  // namespace kadvise::graph
