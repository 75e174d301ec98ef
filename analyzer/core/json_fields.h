// Fields of an object into what holds them: one that is missing, or null, leaves the default alone.
#pragma once

#include <optional>

#include "analyzer/core/json.h"

namespace kadvise {

template <class T>
void get(const Json& j, const char* key, T& out) {
  if (auto it = j.find(key); it != j.end() && !it->is_null()) it->get_to(out);
}

template <class T>
void get(const Json& j, const char* key, std::optional<T>& out) {
  if (auto it = j.find(key); it != j.end() && !it->is_null()) out = it->get<T>();
}

}  // namespace kadvise
