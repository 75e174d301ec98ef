// LibTorch's loader brings the results of branches and loops into the order of their reads; only names stay.
// In the files that kadvise-graph writes for kadvise-measure to trace, the name says the place.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace kadvise {

inline constexpr std::string_view kResultName = "kadvise_result_";

// The node's id makes it the only one: the loader tells equal names apart by digits at their end.
inline std::string nameOfResult(std::size_t place, int node) {
  return std::string(kResultName) + std::to_string(place) + "_of_" + std::to_string(node);
}

inline std::optional<std::size_t> placeOfResult(std::string_view name) {
  if (!name.starts_with(kResultName)) return std::nullopt;
  name.remove_prefix(kResultName.size());
  std::size_t place = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error != std::errc() || !name.substr(static_cast<std::size_t>(end - name.data())).starts_with("_of_"))
    return std::nullopt;
  return place;
}

}  // namespace kadvise
