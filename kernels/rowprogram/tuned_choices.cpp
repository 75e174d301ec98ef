#include "kernels/rowprogram/tuned_choices.h"

#include "kernels/common/file_cache.h"
#include "kernels/rowprogram/words.h"

#include <bit>
#include <map>
#include <mutex>

namespace kadvise::rowprogram {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;
constexpr std::size_t kMostChoices = 16384;

constexpr const char* kGeneration = "4";  // of the schedules: choices among fewer are made again

// The size rounded up to three bits: 1024, 1280, 1536, 1792, 2048, ...
std::string rounded(std::int64_t size) {
  auto n = static_cast<std::uint64_t>(size);
  const int drop = std::max(0, static_cast<int>(std::bit_width(n)) - 3);
  n = (n + (std::uint64_t{1} << drop) - 1) >> drop << drop;
  return std::to_string(n);
}

// How a tensor steps along a dimension: not at all, one by one, or otherwise.
char stepOf(std::int64_t stride) { return stride == 0 ? '0' : stride == 1 ? '1' : 's'; }

std::string layoutOf(const Access& access) {
  std::string text =
      " " + std::to_string(static_cast<int>(access.element)) + "/" + std::to_string(access.alignment) + "/";
  for (const std::int64_t stride : access.outer) text += stepOf(stride);
  text += '|';
  for (const std::int64_t stride : access.inner) text += stepOf(stride);
  if (access.step != 0) text += stepOf(access.step);
  return text;
}

double bytesOf(const Access& access, const Problem& problem) {
  double elements = 1;
  for (std::size_t i = 0; i < access.outer.size(); ++i) {
    if (access.outer[i] != 0) elements *= static_cast<double>(problem.outer[i]);
  }
  for (std::size_t i = 0; i < access.inner.size() && i < problem.inner.size(); ++i) {
    if (access.inner[i] != 0) elements *= static_cast<double>(problem.inner[i]);
  }
  return elements * wordOf(access.element).bytes;
}

struct Choices {
  std::mutex mutex;
  std::map<std::string, std::string> known;
  FileCache files{cacheFolder(), "tuned", kMostBytes};
};

// Never destroyed: operators may run while the process ends.
Choices& choices() {
  static auto* const all = new Choices;
  return *all;
}

}  // namespace

std::string shapeClass(const Problem& problem, const NamedGpu& gpu) {
  std::string text = gpu.name + " " + kGeneration + "\n";
  for (const std::int64_t size : problem.outer) text += rounded(size) + " ";
  text += "|";
  for (const std::int64_t size : problem.inner) text += " " + rounded(size);
  for (const Access& access : problem.inputs) text += layoutOf(access);
  text += " ->";
  for (const Access& access : problem.outputs) text += layoutOf(access);
  return text + "\n" + problem.program->text;
}

std::optional<std::string> tunedChoice(const std::string& shapeClass) {
  Choices& all = choices();
  const std::scoped_lock lock(all.mutex);
  if (const auto known = all.known.find(shapeClass); known != all.known.end()) return known->second;
  auto kept = all.files.read(shapeClass);
  if (kept) all.known[shapeClass] = *kept;
  return kept;
}

void keepTunedChoice(const std::string& shapeClass, const std::string& schedule) {
  Choices& all = choices();
  const std::scoped_lock lock(all.mutex);
  if (all.known.size() >= kMostChoices) all.known.clear();
  all.known[shapeClass] = schedule;
  all.files.write(shapeClass, schedule);
}

double trafficBytes(const Problem& problem) {
  double bytes = 0;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const bool isGathered = i < problem.bounds.size() && problem.bounds[i] != 0;
    // Of a table each row of the result reads one, whose columns are those of the problem; of lists each
    // point one element.
    if (isGathered)
      bytes +=
          static_cast<double>(problem.rows() * problem.columns()) * wordOf(problem.inputs[i].element).bytes;
    else bytes += bytesOf(problem.inputs[i], problem);
  }
  for (const Access& access : problem.outputs) bytes += bytesOf(access, problem);
  return bytes;
}

}  // namespace kadvise::rowprogram
