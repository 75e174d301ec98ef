#include "analyzer/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace kadvise {

std::size_t memoryBytes() {
  long pages = ::sysconf(_SC_PHYS_PAGES), pageBytes = ::sysconf(_SC_PAGESIZE);
  std::size_t machine =
      pages > 0 && pageBytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(pageBytes) : 0;
  std::size_t group = 0;
  std::ifstream("/sys/fs/cgroup/memory.max") >> group;  // "max" leaves 0
  if (!group) return machine;
  return machine ? std::min(machine, group) : group;
}

}  // namespace kadvise
