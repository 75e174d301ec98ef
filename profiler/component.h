// The verb `component`: does a module keep what its kind promises (attention, norm, mlp, embedding)? Each
// kind is a list of properties. Those that the module alone can show (what an output depends on, what leaves
// it unchanged) come before those that need a reference, which is computed in fp64 from the module's own
// parameters.
#pragma once

#include <torch/script.h>

#include <functional>
#include <string>
#include <vector>

#include "profiler/attributes.h"
#include "profiler/session.h"

namespace kadvise {

struct Property {
  // Unknown: there is no reference; Skipped: there was nothing to ask it of. figures says why.
  enum class Status { Pass, Fail, Unknown, Skipped };
  std::string name;
  Status status = Status::Unknown;
  std::string figures;
};

// The module as the properties see it: a function of one tensor. Other arguments keep the values of the
// batch.
class Specimen {
 public:
  Specimen(const Session&, torch::jit::Module, int heads);

  const at::Tensor& input() const { return input_; }                 // of the batch
  const std::vector<at::Tensor>& others() const { return others_; }  // the other tensors among the arguments
  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // that the module holds
  const torch::jit::Module& module() const { return module_; }
  const Session& session() const { return session_; }
  int heads() const { return heads_; }  // of --heads; 0: not given

  // The first tensor of the output.
  at::Tensor operator()(const at::Tensor& input) const;
  at::Tensor random(double scale = 1) const;  // like the input; the same numbers at every call

 private:
  const Session& session_;
  mutable torch::jit::Module module_;
  Values batch_;
  std::size_t place_ = 0;
  at::Tensor input_;
  std::vector<at::Tensor> others_;
  std::vector<NamedTensor> tensors_;
  int heads_ = 0;
};

// What the module should compute, with the parameters and all steps in the given dtype.
using Formula = std::function<at::Tensor(const at::Tensor& input, c10::ScalarType)>;

// The module against the formula in fp64 over generated distributions, a property for each: it may be as far
// from fp64 as the formula in the module's own dtype is, within the bounds of `compare`. Rows that rounding
// alone decides are not counted, and the figures say how many they are.
std::vector<Property> matchesOver(const Specimen&, const std::string& what, const Formula&);

// Root mean square of the difference, relative to that of the reference.
double relativeDifference(const at::Tensor& value, const at::Tensor& reference);

// A difference below this is rounding in the module's dtype, whatever the order of its operations.
double roundingOf(c10::ScalarType);

std::string number(double);  // "1.3", "1e-05"
Property passOrFail(std::string name, bool pass, std::string figures);

std::vector<Property> examineNorm(const Specimen&);
std::vector<Property> examineAttention(const Specimen&);
std::vector<Property> examineMlp(const Specimen&);
std::vector<Property> examineEmbedding(const Specimen&);

Json component(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
