// Candidates that the verifier is tested by. A wrong one names the devices on which it is wrong, and a part
// of the reason for which it must be refused there; a right one must be accepted although its text, its order
// of operations or its layout is another.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

namespace kadvise::mutants {

enum class Where { Everywhere, Cpu, Cuda };

struct Mutant {
  const char* name;                 // what is wrong with it, as words
  std::string original, candidate;  // methods `forward` in TorchScript
  std::vector<std::string> inputs;  // the user's batch, in the form of --input
  const char* reason = "";          // a part of it
  Where where = Where::Everywhere;
  const char* dtype = "float32";  // of `float` in inputs
  void (*prepare)(torch::jit::Module& candidate) =
      nullptr;  // gives it attributes before its method is defined
};

struct Variant {
  const char* name;
  std::string original, candidate;
  std::vector<std::string> inputs;
  const char* dtype = "float32";
  const char* domain = "";  // a declared difference, without which it would be wrong
  Where where = Where::Everywhere;
};

std::vector<Mutant> wrongFormulas();
std::vector<Mutant> wrongAtTheEdges();
std::vector<Mutant> wrongElsewhere();  // right on the batch, or on inputs like it
std::vector<Mutant> wrongContracts();
std::vector<Mutant> wrongMemory();  // what they remember, overwrite, leave unwritten or leave changed
std::vector<Variant> rightOnes();

}  // namespace kadvise::mutants
