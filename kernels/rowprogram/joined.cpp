#include "kernels/rowprogram/joined.h"

#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/prelude.h"

#include <algorithm>

namespace kadvise::rowprogram {
namespace {

constexpr int kBlock = 128;
constexpr std::size_t kMostAddresses = 256;     // that a kernel is given: half of what its parameters may be
constexpr std::int64_t kMostBlocks = 1u << 31;  // of a grid along x, less one

class Joined {
 public:
  explicit Joined(const Gpu& gpu) : gpu_(gpu) {}

  // False where the piece cannot be part of the kernel.
  bool add(const Problem& problem) {
    const auto schedules = schedulesFor(problem, gpu_);
    if (schedules.empty() || schedules.front().form != Form::Flat) return false;
    Schedule schedule = schedules.front();
    schedule.block = kBlock;
    const Part part = partOfFlat(Plan(problem, schedule));
    branches_ += cat("  if (block < ", part.blocks, "LL) return ", functionOf(part), "(block",
                     arguments(problem), numbers(part), ");\n  block -= ", part.blocks, "LL;\n");
    blocks_ += part.blocks;
    return true;
  }

  Source source() const {
    Source source;
    if (inputs_ + outputs_ > kMostAddresses || blocks_ >= kMostBlocks) return source;
    std::string parameters;
    for (std::size_t i = 0; i < inputs_; ++i)
      parameters += cat(i ? ", " : "", "const void* __restrict__ a", i);
    for (std::size_t o = 0; o < outputs_; ++o) parameters += cat(", void* __restrict__ o", o);
    source.text = cat("// joined, of ", outputs_, " pieces\n", prelude(), functions_,
                      "KERNEL __launch_bounds__(", kBlock, ") joined_row_programs(", parameters,
                      ") {\n  i64 block = blockIdx.x;\n", branches_, "}\n");
    source.launches.push_back({"joined_row_programs", {blocks_, 1, 1}, kBlock, 1, 0});
    source.overwritten.assign(inputs_, 0);
    return source;
  }

 private:
  // Pieces of equal text share one.
  std::string functionOf(const Part& part) {
    const std::string text = cat("(const i64 own_block, ", part.parameters, ") ", part.body);
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    const auto number = known - texts_.begin();
    if (known == texts_.end()) {
      texts_.push_back(text);
      functions_ += cat("DEV void piece", number, text);
    }
    return cat("piece", number);
  }

  std::string arguments(const Problem& problem) {
    std::string all;
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) all += cat(", a", inputs_++);
    for (std::size_t o = 0; o < problem.outputs.size(); ++o) all += cat(", o", outputs_++);
    return all;
  }

  static std::string numbers(const Part& part) {
    std::string all;
    for (const std::int64_t n : part.numbers) all += cat(", ", n, "LL");
    return all;
  }

  const Gpu& gpu_;
  std::vector<std::string> texts_;
  std::string functions_, branches_;
  std::int64_t blocks_ = 0;
  std::size_t inputs_ = 0, outputs_ = 0;
};

}  // namespace

Source emitJoined(std::span<const Problem> problems, const Gpu& gpu) {
  Joined joined(gpu);
  for (const Problem& problem : problems)
    if (!joined.add(problem)) return {};
  return joined.source();
}

}  // namespace kadvise::rowprogram
