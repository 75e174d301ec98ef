#include "tests/analyzer/graph/runner_stand_in.h"

#include <torch/custom_class.h>

#include <cstring>
#include <sstream>

#include "analyzer/graph/torch.h"

namespace kadvise::graph::test {
namespace {

int calls = 0;

struct StandIn : torch::CustomClassHolder {
  explicit StandIn(const at::Tensor& bytes) {
    std::istringstream file(std::string(static_cast<const char*>(bytes.const_data_ptr()),
                                        static_cast<std::size_t>(bytes.numel())));
    module = torch::jit::load(file);
  }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) {
    ++calls;
    c10::List<at::Tensor> copies;
    for (auto& t : inputs) copies.push_back(t.clone());
    std::vector<at::Tensor> out;
    const char* method = calls % 2 ? "captured" : "plain";
    torch::jit::GraphOptimizerEnabledGuard asWritten(false);  // LibTorch's own passes make x * 1 of a bool x
    for (auto& t : module.get_method(method)({copies}).toTensorVector()) out.push_back(t.clone());
    return out;
  }
  at::Tensor bytes() const {
    std::ostringstream file;
    module.save(file);
    auto text = file.str();
    auto out = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
    std::memcpy(out.data_ptr(), text.data(), text.size());
    return out;
  }

  torch::jit::Module module;
};

}  // namespace

int runnerCalls() { return calls; }

}  // namespace kadvise::graph::test

using kadvise::graph::test::StandIn;

TORCH_LIBRARY(kadvise_test, m) {
  m.class_<StandIn>("GraphRunner")
      .def(torch::init<at::Tensor>())
      .def("run", [](const c10::intrusive_ptr<StandIn>& self,
                     const std::vector<at::Tensor>& inputs) { return self->run(inputs); })
      .def_pickle([](const c10::intrusive_ptr<StandIn>& self) { return self->bytes(); },
                  [](const at::Tensor& bytes) { return c10::make_intrusive<StandIn>(bytes); });
}
