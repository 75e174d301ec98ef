// The runner as a class of torch in C++: files, copies, threads; on a GPU with graphs, elsewhere plainly.
#include "tests/kernels/graph_runner.h"
#include "tests/kernels/on_device.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <atomic>
#include <thread>

namespace kadvise::test {
namespace {

constexpr const char* kLinear = "  return [torch.relu_(inputs[0] @ self.weight + 1)]\n";

struct GraphRunner : OnDevice {
  void SetUp() override {
    OnDevice::SetUp();
    if (!IsSkipped()) device = c10::Device(GetParam());
  }
  Tensor rows(int count, double first = 0) const {
    return at::arange(count * 4, at::device(device).dtype(at::kFloat)).reshape({count, 4}).add(first);
  }
  bool isCuda() const { return device.is_cuda(); }

  c10::Device device = c10::kCPU;
};

void expectEqual(const Tensors& ours, const Tensors& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].strides(), theirs[i].strides());
    EXPECT_TRUE(at::allclose(ours[i], theirs[i])) << ours[i] << theirs[i];
  }
}

Tensors plainly(const torch::jit::Module& module, const Tensors& inputs) {
  return module.get_method("plain")({inputs}).toTensorVector();
}

TEST_P(GraphRunner, gives_the_plain_module_s_results_for_every_call) {
  const auto module = moduleOf(kLinear, device);
  const Runner runner(module);
  const c10::InferenceMode inference;
  for (int call = 0; call < 6; ++call) {
    const Tensors inputs = {rows(3 + call % 2, call)};
    expectEqual(runner.run(inputs), plainly(module, inputs));
  }
  const auto state = runner.state();
  EXPECT_EQ(state["captures"], isCuda() ? 2 : 0) << state;
  EXPECT_EQ(state["replays"], isCuda() ? 6 : 0) << state;
}

TEST_P(GraphRunner, results_that_are_held_survive_calls_of_other_shapes) {
  for (const char* mode : {"copied", "leased"}) {
    const auto module = moduleOf(kLinear, device);
    const Runner runner(module);
    runner.call("set_outputs", {mode});
    const c10::InferenceMode inference;
    std::vector<std::pair<Tensors, Tensors>> held;
    for (const int count : {512, 64, 512, 300, 64, 511, 512}) {
      const Tensors inputs = {rows(count, static_cast<double>(held.size()))};
      held.emplace_back(runner.run(inputs), plainly(module, inputs));
    }
    for (const auto& [ours, theirs] : held) expectEqual(ours, theirs);
    EXPECT_EQ(runner.state()[isCuda() ? "replays" : "plain"], 7) << runner.state();
  }
}

TEST_P(GraphRunner, survives_saving_loading_cloning_and_freezing_with_its_module) {
  const auto module = moduleOf(kLinear, device);
  const Runner runner(module);
  const auto wrapped = runner.wrapped();
  std::istringstream file(savedText(wrapped));
  const auto loaded = torch::jit::load(file);
  const Tensor x = rows(5);
  const Tensors expected = plainly(module, {x});
  const c10::InferenceMode inference;
  for (auto one : {wrapped, loaded, loaded.deepcopy(), loaded.copy()}) {
    for (int call = 0; call < 2; ++call) expectEqual({one.forward({x}).toTensor()}, expected);
  }
}

TEST_P(GraphRunner, a_deep_copy_counts_its_own_calls) {
  const Runner runner(moduleOf(kLinear, device));
  const auto copy = runner.wrapped().deepcopy();
  const Runner copied(copy.attr("runner"));
  copied.run({rows(2)});
  EXPECT_EQ(runner.state()["plain"].get<int>() + runner.state()["replays"].get<int>(), 0);
  EXPECT_EQ(copied.state()["plain"].get<int>() + copied.state()["replays"].get<int>(), 1);
}

TEST_P(GraphRunner, eight_threads_get_their_own_results) {
  for (const char* mode : {"copied", "leased"}) {
    const auto module = moduleOf(kLinear, device);
    const Runner runner(module);
    runner.call("set_outputs", {mode});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int index = 0; index < 8; ++index) {
      threads.emplace_back([&, index] {
        const c10::InferenceMode inference;
        for (int call = 0; call < 50; ++call) {
          const Tensors inputs = {rows(2 + index % 3, index * 100 + call)};
          if (!at::equal(runner.run(inputs)[0], plainly(module, inputs)[0])) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << mode << ' ' << runner.state();
    EXPECT_EQ(runner.state()[isCuda() ? "replays" : "plain"], 400) << runner.state();
  }
}

TEST_P(GraphRunner, bound_inputs_are_read_where_they_lie) {
  const auto module = moduleOf(kLinear, device);
  const Runner runner(module);
  const Tensor x = rows(5);
  runner.call("bind", {Tensors{x}});
  const c10::InferenceMode inference;
  for (int call = 0; call < 4; ++call) {
    x.add_(1);
    expectEqual(runner.run({x}), plainly(module, {x}));
  }
  const Tensors elsewhere = {rows(5, 9)};
  expectEqual(runner.run(elsewhere), plainly(module, elsewhere));
  EXPECT_EQ(runner.state()["inputCopies"], isCuda() ? 1 : 0) << runner.state();
}

TEST_P(GraphRunner, a_module_without_inputs_or_tensors_runs_plainly) {
  const Runner runner(moduleOf("  return [torch.ones([2])]\n", device));
  EXPECT_TRUE(at::equal(runner.run({})[0], at::ones({2})));
  EXPECT_EQ(runner.state()["fallbacks"][0]["reason"], "it has no inputs, so the device is not known");
}

INSTANTIATE_TEST_SUITE_P(Devices, GraphRunner, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kadvise::test
