// What a call may write of a module's own attributes, read from its graph: nothing has to run for it.
#pragma once

#include <torch/csrc/jit/ir/ir.h>
#include <torch/script.h>

#include <map>
#include <string>

namespace kadvise {

// Perhaps: it is handed to an operator of another library, which may write whatever its schema says, or to
// what cannot be seen.
enum class Writes { None, Perhaps, Declared };

class WritableAttributes {
 public:
  explicit WritableAttributes(const torch::jit::Module&);
  Writes of(const std::string& name) const;  // "encoder.steps"

 private:
  void add(const torch::jit::Block*);
  void note(const torch::jit::Node* access, Writes);

  std::map<std::string, Writes> below_;  // "encoder": of all that is below it, "": of everything
};

}  // namespace kadvise
