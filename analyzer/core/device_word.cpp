#include "analyzer/core/device_word.h"

namespace kadvise {

bool isDeviceWord(std::string_view word) {
  constexpr std::string_view kNumbered = "cuda:";
  constexpr std::size_t kMostDigits = 3;
  if (word == "auto" || word == "cpu" || word == "cuda") return true;
  if (!word.starts_with(kNumbered)) return false;
  word.remove_prefix(kNumbered.size());
  return !word.empty() && word.size() <= kMostDigits &&
         word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace kadvise
