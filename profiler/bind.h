// Artefacts carry no weights: their tensors are one-element placeholders of the right shape (all strides 0),
// and the values come from the user's module, which is in memory once.
#pragma once

#include <torch/script.h>

#include <map>
#include <string>

#include "profiler/session.h"

namespace kadvise {

// The `module` of a request. names: attribute of the artefact -> parameter of the resident module; "" asks
// for random values; an attribute that is not in names has the same name in the resident module.
struct ModuleRef {
  std::string path;  // "": the user's module; absolute: a file with its own weights, loaded as it is
  std::map<std::string, std::string> names;
};
ModuleRef moduleRefFrom(const Json&);

struct Binding {
  bool toDouble = false;   // the fp64 twin: floating values are upcast after they were rounded to their dtype
  std::string floatMeans;  // dtype of random floating values; "" keeps the placeholder's
};

bool isPlaceholder(const at::Tensor&);

// Loads the artefact and gives it its values: those of the resident module are shared, not copied. An
// attribute that neither names nor the resident module knows keeps its stored value. Then runs `kadvise_fold`
// once, when the artefact has it: it computes the folded weights. Throws Error when a placeholder is left, a
// name is not in the resident module, or shapes differ.
torch::jit::Module loadBound(const Session&, const ModuleRef&, const Binding& = {});

}  // namespace kadvise
