// Calls of generated kernels, for rules that make one kernel of several.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/program_texts.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

inline constexpr std::size_t kMostInputsOfProgram = 32;  // see kernels/rowprogram/program.h

struct ProgramCall {
  SimpleProgram text;
  std::vector<torch::jit::Value*> inputs;
  std::vector<torch::jit::Node*> nodes;  // its list, its call and what takes the output out of the results
};

// What makes the item: a generated kernel of one output, which a kadvise::contiguous is, too. nullopt for all
// else.
std::optional<ProgramCall> programCallOf(torch::jit::Node* item, const TracedValues&);
// One that goes over elements alone.
std::optional<ProgramCall> elementProgramCallOf(torch::jit::Node* item, const TracedValues&);

}  // namespace kadvise::graph
