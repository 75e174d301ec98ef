#include "kernels/rowprogram/source_call.h"

#include "kernels/common/cuda_library.h"
#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/side_by_side.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

namespace kadvise::rowprogram {

Arguments::Arguments(const Call& call, const at::Tensor& scratch, std::span<const std::int64_t> numbers) {
  const auto add = [&](const void* address) { values_.push_back(reinterpret_cast<std::uintptr_t>(address)); };
  for (const at::Tensor& input : call.inputs) {
    if (!isNumberOfHost(input, call.device)) {
      add(input.const_data_ptr());
      continue;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, input.const_data_ptr(), std::min<std::size_t>(sizeof bits, input.element_size()));
    values_.push_back(bits);
  }
  for (const at::Tensor& output : call.outputs) add(output.mutable_data_ptr());
  if (scratch.defined()) add(scratch.mutable_data_ptr());
  for (const std::int64_t number : numbers) values_.push_back(static_cast<std::uint64_t>(number));
  for (std::uint64_t& value : values_) addresses_.push_back(&value);
}

bool isCaptured(const Call& call) {
  static auto* const ask = reinterpret_cast<KadviseCudaIsCaptured*>(cudaSymbol("kadvise_cuda_is_captured"));
  return ask(call.stream) != 0;
}

at::Tensor scratchFor(std::size_t bytes, c10::Device device) {
  if (bytes == 0) return {};
  return at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(device).dtype(at::kByte));
}

namespace {

// A source as the CUDA side takes it.
struct Described {
  std::vector<const char*> names;
  RuntimeText text;

  explicit Described(const Source& source) {
    for (const Launch& launch : source.launches) names.push_back(launch.name.c_str());
    text = {source.text.c_str(), names.data(), static_cast<int>(names.size())};
  }
};

}  // namespace

bool hasAll(std::span<const Source> sources, int device) {
  static auto* const has = reinterpret_cast<KadviseCudaHasText*>(cudaSymbol("kadvise_cuda_has_text"));
  return std::all_of(sources.begin(), sources.end(), [&](const Source& source) {
    const Described described(source);
    return has(&described.text, device) != 0;
  });
}

std::string load(const Source& source, int device, const LoadedText*& text) {
  static auto* const loadText = reinterpret_cast<KadviseCudaLoadText*>(cudaSymbol("kadvise_cuda_load_text"));
  if (source.launches.empty()) return "the generator made no kernel";
  const Described described(source);
  const char* problem = loadText(&described.text, device, &text);
  if (problem == nullptr) return {};
  text = nullptr;
  return problem;
}

std::vector<std::string> loadAll(std::span<const Source> sources, int device,
                                 std::vector<const LoadedText*>& texts) {
  texts.assign(sources.size(), nullptr);
  std::vector<std::string> problems(sources.size());
  std::vector<std::future<std::string>> others;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    others.push_back(sideBySide([&, i] { return load(sources[i], device, texts[i]); }));
  }
  if (!sources.empty()) problems[0] = load(sources[0], device, texts[0]);
  for (std::size_t i = 0; i < others.size(); ++i) problems[i + 1] = others[i].get();
  return problems;
}

std::vector<RuntimeLaunch> launchesOf(const Source& source) {
  std::vector<RuntimeLaunch> launches;
  for (const Launch& launch : source.launches) {
    launches.push_back(
        {{launch.grid[0], launch.grid[1], launch.grid[2]}, launch.block, launch.cluster, launch.sharedBytes});
  }
  return launches;
}

}  // namespace kadvise::rowprogram
