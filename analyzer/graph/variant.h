// The readings of a pattern's text. `if mask is not None:` and `if upcast:` in a pattern are questions about
// its parameters: each combination of answers is one pattern without branches.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analyzer/graph/rule_text.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct Variant {
  std::shared_ptr<torch::jit::Graph> graph;  // normal form; takes every parameter, also those that are fixed
  std::vector<std::optional<c10::IValue>> fixed;  // per parameter: its value where the variant decides it
};

// A parameter is asked about when it is a bool that an `if` tests, or an Optional compared with None. A
// variant that reaches an `assert` it breaks is left out. Most nodes first. Throws Error{place, ...} for more
// than 256 combinations, and for an `if` that asks about anything else.
std::vector<Variant> variantsOf(const Compiled&, const std::string& place);

}  // namespace kadvise::graph
