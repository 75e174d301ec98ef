// torch.classes.kadvise.GraphRunner from C++, as a user without a header of ours has it.
#pragma once

#include "tests/kernels/kernels.h"

#include <torch/custom_class.h>
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace kadvise::test {

using Tensors = std::vector<Tensor>;

// A module with the attributes `weight` (float[4, 4]) and `counter` (float[]), and this body for both
// methods.
inline torch::jit::Module moduleOf(const std::string& body, c10::Device device = c10::kCPU) {
  torch::jit::Module module("Inner");
  module.register_buffer("weight", at::arange(16, at::device(device).dtype(at::kFloat)).reshape({4, 4}) / 16);
  module.register_buffer("counter", at::zeros({}, at::device(device).dtype(at::kFloat)));
  module.register_attribute("flag", c10::BoolType::get(), false);
  module.register_attribute("training", c10::BoolType::get(), false);
  for (const char* method : {"captured", "plain"}) {
    module.define("def " + std::string(method) + "(self, inputs: List[Tensor]) -> List[Tensor]:\n" + body);
  }
  return module;
}

inline std::string savedText(const torch::jit::Module& module) {
  std::ostringstream file;
  module.save(file);
  return file.str();
}

class Runner {
 public:
  explicit Runner(const torch::jit::Module& inner) {
    library();
    const std::string text = savedText(inner);
    Tensor bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    std::copy(text.begin(), text.end(), static_cast<char*>(bytes.mutable_data_ptr()));
    const auto type = torch::getCustomClass("__torch__.torch.classes.kadvise.GraphRunner");
    object_ = c10::ivalue::Object::create(type, 1);
    call("__init__", {bytes});
    call("set_in_place", {false});  // what is copied can be counted
  }
  explicit Runner(c10::IValue object) : object_(std::move(object)) {}

  c10::IValue call(const char* method, std::vector<c10::IValue> arguments) const {
    arguments.insert(arguments.begin(), object_);
    return object_.type()->expect<c10::ClassType>()->getMethod(method)(std::move(arguments));
  }
  Tensors run(const Tensors& inputs) const { return call("run", {inputs}).toTensorVector(); }
  nlohmann::json state() const { return nlohmann::json::parse(call("state", {}).toStringRef()); }

  // An outer module, as kadvise writes it: forward(x) is the first result of run([x]).
  torch::jit::Module wrapped() const {
    torch::jit::Module outer(c10::QualifiedName("__torch__.Outer"));
    outer.register_attribute("runner", object_.type(), object_);
    outer.define("def forward(self, x):\n  return self.runner.run([x])[0]\n");
    return outer;
  }

 private:
  c10::IValue object_;
};

}  // namespace kadvise::test
