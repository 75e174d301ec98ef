// What kadvise-graph writes for kadvise-measure: modules without their weights, and twins for the fp64
// reference.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// A stride-0 tensor of one element: the shape and dtype of a parameter at the cost of nothing.
at::Tensor placeholderFor(const at::Tensor&);

// Replaces every parameter and buffer by a placeholder; kadvise-measure binds them by name.
void dropWeights(torch::jit::Module&);

// What a factory without a dtype makes in the twin. As it was: where tensors may be given in float32 all the
// same, as cases of rule pages say it.
enum class Factories { Promoted, AsTheyWere };

// Promotes floating dtypes that the graph holds as constants (to(x, float16), softmax(.., dtype=float32),
// tensors) to fp64; Module::double() alone would keep them. In place, in every method.
void promoteToFp64(torch::jit::Module&, Factories = Factories::Promoted);

// Writes path and, beside it, its fp64 twin "<stem>.fp64.pt"; returns the twin's name. Both whole or not at
// all.
std::string saveWithTwin(const torch::jit::Module&, const std::filesystem::path&,
                         Factories = Factories::Promoted);
void saveWhole(const torch::jit::Module&, const std::filesystem::path&);

// Writes to the path itself, with further files in the archive. For a path that the front has chosen and
// removes again when anything goes wrong: a second temporary name would outlive a killed engine.
void saveInto(const torch::jit::Module&, const std::filesystem::path&,
              const std::map<std::string, std::string>& extra);

}  // namespace kadvise::graph
