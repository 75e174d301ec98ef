// One operator of the library, as register.cpp lists it.
#pragma once

#include <torch/library.h>

namespace kadvise {

struct Operator {
  const char* name;                            // "add_layer_norm", without the namespace
  const char* schema;                          // the whole schema, without the namespace
  void (*implement)(torch::Library& library);  // registers the kernel of every dispatch key it has
};

}  // namespace kadvise
