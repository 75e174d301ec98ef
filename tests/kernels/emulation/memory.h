// Memory of emulated kernels: what they may read and write, and what stands around it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace emulation {

struct Range {
  const char *begin, *end;
};
inline std::vector<Range> ranges;
inline std::string firstError;

inline void fail(const std::string& what) {
  if (firstError.empty()) firstError = what;
}

class Memory {
 public:
  explicit Memory(std::size_t bytes, std::size_t offset = 0)
      : bytes_(bytes), all_(bytes + offset + 2 * kGuard + 16, kPattern) {
    const auto begin = reinterpret_cast<std::uintptr_t>(all_.data()) + kGuard;
    data_ = reinterpret_cast<char*>((begin + 15) / 16 * 16 + offset);
    ranges.push_back({data_, data_ + bytes});
  }
  Memory(const Memory&) = delete;
  ~Memory() {
    std::erase_if(ranges, [&](const Range& r) { return r.begin == data_; });
  }

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  std::size_t size() const { return bytes_; }
  // Says where the guard zones were written to; empty where they were not.
  std::string broken() const {
    for (const char& c : all_)
      if ((&c < data_ || &c >= data_ + bytes_) && c != kPattern)
        return "written " + std::to_string(&c - data_) + " bytes from the begin of " +
               std::to_string(bytes_) + "; ";
    return {};
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr char kPattern = 0x5a;
  std::size_t bytes_;
  std::vector<char> all_;
  char* data_;
};

inline bool allowed(const void* p, std::size_t bytes, const char* what) {
  const auto* at = static_cast<const char*>(p);
  if (reinterpret_cast<std::uintptr_t>(p) % bytes) {
    fail(std::string(what) + " of " + std::to_string(bytes) + " bytes is misaligned; ");
    return false;
  }
  for (const Range& r : ranges)
    if (at >= r.begin && at + bytes <= r.end) return true;
  fail(std::string(what) + " of " + std::to_string(bytes) + " bytes outside of all memory; ");
  return false;
}

inline void read(void* to, const void* p, std::size_t bytes) {
  if (allowed(p, bytes, "read")) std::memcpy(to, p, bytes);
  else std::memset(to, 0, bytes);
}
inline void write(void* p, const void* from, std::size_t bytes) {
  if (allowed(p, bytes, "write")) std::memcpy(p, from, bytes);
}

}  // namespace emulation
