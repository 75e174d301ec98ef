#include "tests/profiler/mutants/operators.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/profiler/mutants/kernels.h"

namespace kadvise::mutants {
namespace {

using at::Tensor;

struct Memory {
  std::map<std::pair<const void*, std::vector<std::int64_t>>, Tensor> byAddress;
  std::map<std::pair<double, std::vector<std::int64_t>>, Tensor> byFirst;
  std::map<std::pair<c10::DeviceType, std::vector<std::int64_t>>, Tensor> outputs;
  int calls = 0;
  int threads = at::get_num_threads();
  std::mt19937_64 random{1};
};

Memory& memory() {
  static Memory m;
  return m;
}

Tensor remembersAddress(const Tensor& x) {
  auto [entry, isNew] = memory().byAddress.try_emplace({x.const_data_ptr(), x.sizes().vec()});
  if (isNew) entry->second = x * 2;
  return entry->second.clone();
}

Tensor remembersFirst(const Tensor& x) {
  if (x.numel() == 0) return x * 2;
  auto [entry, isNew] = memory().byFirst.try_emplace({x.flatten()[0].item<double>(), x.sizes().vec()});
  if (isNew) entry->second = x * 2;
  return entry->second.clone();
}

Tensor reusesOutput(const Tensor& x) {
  Tensor& y = memory().outputs[{x.device().type(), x.sizes().vec()}];
  if (!y.defined()) y = at::empty_like(x);
  return y.copy_(x * 2);
}

// Into what the allocator adds to fill up its own granule, where it adds something.
Tensor writesBehind(const Tensor& x) {
  Tensor y = at::empty(x.sizes(), x.options());
  at::mul_out(y, x, at::scalar_tensor(2, x.options()));
  if (y.nbytes() % 16 == 12) y.data_ptr<float>()[y.numel()] = 1;
  return y;
}

Tensor tires(const Tensor& x) { return ++memory().calls < 10 ? x * 2 : x * 2 + 1; }

Tensor guesses(const Tensor& x) {
  std::normal_distribution<double> noise(0, 1e-3);
  return x * (2 + noise(memory().random));
}

Tensor takesAnotherThread(const Tensor& x) {
  at::set_num_threads(at::get_num_threads() + 1);
  return x * 2;
}

Tensor lowersPrecision(const Tensor& x) {
  at::globalContext().setFloat32MatmulPrecision("high");
  return x * 2;
}

Tensor writesLater(const Tensor& x) {
  Tensor y = at::empty_like(x);
  std::thread([x, y]() mutable {
    c10::InferenceMode inference;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    at::mul_out(y, x, at::scalar_tensor(2, x.options()));
  }).detach();
  return y;
}

// Each thread reads the sum, is interrupted, and writes what is no longer true.
double sumOfThreads(const Tensor& row) {
  volatile double sum = 0;
  Tensor values = row.to(at::kDouble).contiguous();
  const double* x = values.const_data_ptr<double>();
  std::vector<std::thread> threads;
  std::int64_t n = values.numel();
  for (std::int64_t part = 0; part < 4; ++part)
    threads.emplace_back([&, part] {
      for (std::int64_t i = part; i < n; i += 4) {
        double was = sum;
        std::this_thread::sleep_for(std::chrono::microseconds(1));
        sum = was + x[i];
      }
    });
  for (auto& t : threads) t.join();
  return sum;
}

Tensor races(const Tensor& x) {
  if (x.numel() == 0) return x.sum(-1);
  if (x.is_cuda()) {
    Tensor y = at::zeros({x.size(0)}, x.options()), plain = x.contiguous();
    cuda::racySums(plain.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.size(0), x.size(1));
    return y;
  }
  Tensor y = at::empty({x.size(0)}, x.options());
  for (std::int64_t r = 0; r < x.size(0); ++r) y[r] = sumOfThreads(x[r]);
  return y;
}

Tensor onDevice(const Tensor& x, void (*run)(const float*, float*, std::int64_t)) {
  Tensor plain = x.contiguous(), y = at::empty_like(plain);
  if (x.numel() > 0) run(plain.const_data_ptr<float>(), y.mutable_data_ptr<float>(), x.numel());
  return y;
}

Tensor usesOtherStream(const Tensor& x) { return onDevice(x, cuda::doubleOnOtherStream); }
Tensor dropsTail(const Tensor& x) { return onDevice(x, cuda::doubleWholeBlocks); }

Tensor keepsL2(const Tensor& x) {
  cuda::setPersistingL2(1 << 20);
  return x * 2;
}

struct Operator {
  const char* name;
  Tensor (*run)(const Tensor&);
};
constexpr Operator kOperators[] = {{"remembers_address", remembersAddress},
                                   {"remembers_first", remembersFirst},
                                   {"reuses_output", reusesOutput},
                                   {"writes_behind", writesBehind},
                                   {"tires", tires},
                                   {"guesses", guesses},
                                   {"takes_another_thread", takesAnotherThread},
                                   {"lowers_precision", lowersPrecision},
                                   {"writes_later", writesLater},
                                   {"races", races},
                                   {"uses_other_stream", usesOtherStream},
                                   {"drops_tail", dropsTail},
                                   {"keeps_l2", keepsL2}};

}  // namespace

void registerOperators() {
  static auto library = [] {
    auto lib =
        std::make_unique<torch::Library>(torch::Library::DEF, "mutants", std::nullopt, __FILE__, __LINE__);
    for (const Operator& op : kOperators)
      lib->def((std::string(op.name) + "(Tensor x) -> Tensor").c_str(),
               torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, op.run));
    return lib;
  }();
}

void undo() {
  at::set_num_threads(memory().threads);
  at::globalContext().setFloat32MatmulPrecision("highest");
  cuda::setPersistingL2(0);
  int threads = memory().threads;
  memory() = Memory{};
  memory().threads = threads;
}

}  // namespace kadvise::mutants
