#include "kernels/graph_runner/torch_class.h"

#include "kernels/graph_runner/runner.h"

#include <torch/custom_class.h>

namespace kadvise {
namespace {

using Pointer = c10::intrusive_ptr<GraphRunner>;

// The module's bytes, and a marker on its device: torch.jit.load moves that with map_location, or fails on a
// machine that lacks the device, and so tells where the module is wanted. Its elements say where the module
// was.
// Then the mode of the outputs and the limit.
using Saved = std::tuple<at::Tensor, at::Tensor, std::string, std::int64_t>;

Pointer make(const at::Tensor& bytes, std::optional<c10::Device> device) {
  return c10::make_intrusive<GraphRunner>(InnerModule(bytes, device));
}

at::Tensor markerOf(c10::Device device) {
  return at::tensor({static_cast<std::int64_t>(device.type()), static_cast<std::int64_t>(device.index())});
}

// A module on several devices stays on them wherever the marker goes.
at::Tensor markerOf(const InnerModule& module) {
  const auto& devices = module.devices();
  if (devices.size() > 1) return at::empty({0}, at::kLong);
  const c10::Device device = devices.empty() ? c10::Device(c10::kCPU) : devices.front();
  return markerOf(device).to(device);
}

Saved save(const Pointer& runner) {
  const GraphRunner::Settings settings = runner->settings();
  const char* outputs = settings.outputs == OutputMode::Leased ? "leased" : "copied";
  return {runner->module().bytes(), markerOf(runner->module()), outputs,
          static_cast<std::int64_t>(settings.limit)};
}

// Where the marker came back to its place, the module is left as it was saved: forcing the device would also
// move constants that lie on the CPU on purpose.
Pointer restore(const Saved& saved) {
  const auto& [bytes, marker, outputs, limit] = saved;
  TORCH_CHECK(marker.defined() && marker.scalar_type() == at::kLong,
              "kadvise.GraphRunner: the saved state is damaged, or of another kadvise");
  const bool isAsSaved = marker.numel() != 2 || at::equal(marker.cpu(), markerOf(marker.device()));
  const Pointer runner = make(bytes, isAsSaved ? std::nullopt : std::optional(marker.device()));
  runner->setOutputs(outputs);
  runner->setLimit(limit);
  return runner;
}

}  // namespace

void defineGraphRunner(torch::Library& library) {
  library.class_<GraphRunner>("GraphRunner")
      .def(torch::init([](const at::Tensor& module) {
        const bool staysWhereSaved = !module.defined() || module.is_cpu();
        return make(module, staysWhereSaved ? std::nullopt : std::optional(module.device()));
      }))
      .def("run", [](const Pointer& runner, const Tensors& inputs) { return runner->run(inputs); })
      .def("bind", [](const Pointer& runner, Tensors inputs) { runner->bind(std::move(inputs)); })
      .def("set_outputs", [](const Pointer& runner, const std::string& mode) { runner->setOutputs(mode); })
      .def("set_in_place", [](const Pointer& runner, bool on) { runner->setInPlace(on); })
      .def("set_limit", [](const Pointer& runner, std::int64_t limit) { runner->setLimit(limit); })
      .def("set_enabled", [](const Pointer& runner, bool on) { runner->setEnabled(on); })
      .def("clear", [](const Pointer& runner) { runner->clear(); })
      .def("state", [](const Pointer& runner) { return runner->state(); })
      .def_pickle([](const Pointer& runner) { return save(runner); },
                  [](Saved saved) { return restore(saved); });
}

}  // namespace kadvise
