// Makes of what only shapes decide a table: computed once for the sizes that the run saw, and as before for
// others.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/coded_rule.h"

namespace kadvise::graph {

// Whether they launch enough: one or two element-wise operators are cheaper than anything one could put in
// their place.
bool areWorthATable(const std::vector<torch::jit::Node*>&);

// nodes: pure ones of one block, in execution order, each of which reads nodes of the list, constants,
// parameters, and numbers. The replacement asks whether the numbers are those of the run; `why` receives the
// reason where there is none.
std::optional<MadeRewrite> tableOf(const std::vector<torch::jit::Node*>& nodes, const Analysis&,
                                   std::string& why);

// The same of nodes that read parameters and constants alone, whatever the sizes of a call: computed when the
// module is written.
std::optional<MadeRewrite> foldedOf(const std::vector<torch::jit::Node*>& nodes, const Analysis&,
                                    std::string& why);

// The choice between such a table and the operators.
bool isTable(const torch::jit::Node*);

// What a result of such a table is where its sizes are not those that were seen, and is there as well: made
// by the operators. Null for what is no table's.
torch::jit::Value* computedBehind(torch::jit::Value*);

// Whether the node is what such a table is made of, or what stands behind it.
bool standsInTable(const torch::jit::Node*);

}  // namespace kadvise::graph
