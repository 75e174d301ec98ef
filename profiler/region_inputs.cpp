#include "profiler/region_inputs.h"

#include <charconv>
#include <optional>

#include "analyzer/core/error.h"
#include "profiler/value_archive.h"

namespace kadvise {
namespace {

using c10::IValue;

constexpr std::size_t kLargeBytes = std::size_t{64} << 20;
// A file in which values are saved by number is a dict of these; any other is the values themselves, which
// are never one.
constexpr const char* kValues = "values";  // a tuple, with None in place of those
constexpr const char* kOwn = "own";        // for each value, which of the module's own it is; None for saved
constexpr const char* kNoSuchFile = "does not hold the inputs of a region";

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

Values elementsOf(const std::filesystem::path& path, const IValue& file, const char* key) {
  auto dict = file.toGenericDict();
  auto found = dict.find(key);
  if (found == dict.end() || !found->value().isTuple()) throw Error(path.string(), kNoSuchFile);
  return found->value().toTupleRef().elements().vec();
}

}  // namespace

void writeRegionInputs(const std::filesystem::path& path, const std::vector<std::string>& names,
                       const Values& values, const Values& own) {
  Values saved = values, numbers(values.size());
  bool isAnyOwn = false;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    auto number = numberBehind("in.", names[i]);
    if (!number || *number >= own.size() || !isLarge(own[*number])) continue;
    saved[i] = IValue();
    numbers[i] = static_cast<std::int64_t>(*number);
    isAnyOwn = true;
  }
  // For this run alone: nobody waits until the disk has it.
  if (!isAnyOwn) return writeArchive(path, c10::ivalue::Tuple::create(saved));
  c10::impl::GenericDict both(c10::StringType::get(), c10::AnyType::get());
  both.insert(kValues, c10::ivalue::Tuple::create(saved));
  both.insert(kOwn, c10::ivalue::Tuple::create(numbers));
  writeArchive(path, both);
}

Values readRegionInputs(const std::filesystem::path& path, const Values& own) {
  IValue file = readValue(path);
  if (!file.isGenericDict()) return argumentsIn(file, path);
  Values values = elementsOf(path, file, kValues), numbers = elementsOf(path, file, kOwn);
  if (numbers.size() != values.size()) throw Error(path.string(), kNoSuchFile);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (numbers[i].isNone()) continue;
    if (!numbers[i].isInt()) throw Error(path.string(), kNoSuchFile);
    auto number = static_cast<std::size_t>(numbers[i].toInt());
    if (number >= own.size()) throw Error(path.string(), "was saved for a module with other inputs");
    values[i] = own[number];
  }
  return values;
}

}  // namespace kadvise
