#include "analyzer/core/input_spec.h"

#include <algorithm>
#include <charconv>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr const char* kDtypes[] = {"float", "float16",   "bfloat16",  "float32", "float64",
                                   "int8",  "uint8",     "int16",     "int32",   "int64",
                                   "bool",  "complex64", "complex128"};
constexpr std::int64_t kMostElements = std::int64_t{1} << 34;

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw Error("input \"" + text + "\"", why + "; write for example float32[4,128,512] or int64[2,128]<1000");
}

std::int64_t integer(const std::string& whole, std::string_view digits) {
  std::int64_t v = -1;
  auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (ec != std::errc() || end != digits.data() + digits.size() || v < 0)
    fail(whole, "\"" + std::string(digits) + "\" is not a size");
  return v;
}

}  // namespace

InputSpec parseInputSpec(const std::string& given) {
  std::string text;
  InputSpec spec;
  std::string_view rest = given;
  if (rest.rfind("weight ", 0) == 0) spec.weight = true, rest.remove_prefix(7);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    bool isDigit = rest[i] >= '0' && rest[i] <= '9';
    if (isDigit && i > 0 && rest[i - 1] == ' ' && !text.empty() && text.back() >= '0' && text.back() <= '9')
      fail(given, "sizes are parted by commas");
    if (rest[i] != ' ') text += rest[i];
  }

  auto open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) fail(given, "has no [shape]");
  spec.dtype = text.substr(0, open);
  if (std::none_of(std::begin(kDtypes), std::end(kDtypes), [&](auto* d) { return spec.dtype == d; }))
    fail(given, "\"" + spec.dtype + "\" is not a dtype");

  std::int64_t elements = 1;
  for (std::size_t at = open + 1; at < close;) {
    auto end = std::min(text.find(',', at), close);
    spec.shape.push_back(integer(given, std::string_view(text).substr(at, end - at)));
    if (spec.shape.back() != 0 && elements > kMostElements / spec.shape.back())
      fail(given, "has too many elements");
    elements *= spec.shape.back();
    at = end + 1;
  }

  auto tail = std::string_view(text).substr(close + 1);
  if (tail == ">0") spec.positive = true;
  else if (!tail.empty() && tail[0] == '<') spec.below = integer(given, tail.substr(1));
  else if (!tail.empty()) fail(given, "\"" + std::string(tail) + "\" is not understood");
  if (spec.below && spec.dtype.find("float") != std::string::npos)
    fail(given, "a bound is for whole numbers");
  if (spec.below && *spec.below == 0) fail(given, "no value is below 0");
  return spec;
}

std::string toString(const InputSpec& spec) {
  std::string out = (spec.weight ? "weight " : "") + spec.dtype + "[";
  for (std::size_t i = 0; i < spec.shape.size(); ++i) out += (i ? "," : "") + std::to_string(spec.shape[i]);
  out += "]";
  if (spec.below) out += "<" + std::to_string(*spec.below);
  if (spec.positive) out += ">0";
  return out;
}

}  // namespace kadvise
