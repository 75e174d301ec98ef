#include "profiler/region_inputs.h"

#include <charconv>
#include <optional>

#include "analyzer/core/error.h"
#include "profiler/value_archive.h"

namespace kadvise {
namespace {

using c10::IValue;

constexpr std::size_t kLargeBytes = std::size_t{64} << 20;
constexpr std::string_view kOwn = "kadvise: input ";  // and its number, in place of the value

bool isLarge(const IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().nbytes() > kLargeBytes;
}

std::optional<std::size_t> numberBehind(std::string_view prefix, std::string_view text) {
  std::size_t number = 0;
  if (!text.starts_with(prefix)) return std::nullopt;
  const char *from = text.data() + prefix.size(), *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(from, end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace

void writeRegionInputs(const std::filesystem::path& path, const std::vector<std::string>& names,
                       const Values& values, const Values& own) {
  Values saved = values;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    auto number = numberBehind("in.", names[i]);
    if (number && *number < own.size() && isLarge(own[*number]))
      saved[i] = IValue(std::string(kOwn) + std::to_string(*number));
  }
  // For this run alone: nobody waits until the disk has it.
  writeArchive(path, c10::ivalue::Tuple::create(saved));
}

Values readRegionInputs(const std::filesystem::path& path, const Values& own) {
  Values values = readValues(path);
  for (IValue& value : values) {
    auto number = value.isString() ? numberBehind(kOwn, value.toStringRef()) : std::nullopt;
    if (!number) continue;
    if (*number >= own.size()) throw Error(path.string(), "was saved for a module with other inputs");
    value = own[*number];
  }
  return values;
}

}  // namespace kadvise
