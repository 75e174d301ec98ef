// Words in which kernels move what they do not compute with.
#pragma once

#include <vector_types.h>

#include <cstdint>

namespace kadvise {

// Calls work with the type of a word of 1, 2, 4, 8 or 16 bytes as its template parameter.
template <class Work>
auto withWord(int bytes, Work work) {
  switch (bytes) {
    case 16:
      return work.template operator()<uint4>();
    case 8:
      return work.template operator()<uint2>();
    case 4:
      return work.template operator()<std::uint32_t>();
    case 2:
      return work.template operator()<std::uint16_t>();
    default:
      return work.template operator()<std::uint8_t>();
  }
}

}  // namespace kadvise
