// Programs by their text, so that a call does not parse.
#include "kernels/rowprogram/program.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace kadvise::rowprogram {
namespace {

constexpr std::size_t kMostPrograms = 1024;  // a hostile one takes 0.2 MiB

struct Cache {
  std::shared_mutex mutex;
  std::unordered_map<std::string_view, std::shared_ptr<const Program>> programs;  // by Program::text
};

// Never destroyed: calls may come while a process ends.
Cache& cache() {
  static Cache& it = *new Cache;
  return it;
}

}  // namespace

std::shared_ptr<const Program> parsed(std::string_view text) {
  Cache& all = cache();
  {
    const std::shared_lock lock(all.mutex);
    const auto found = all.programs.find(text);
    if (found != all.programs.end()) return found->second;
  }
  auto program = std::make_shared<const Program>(parse(text));
  const std::unique_lock lock(all.mutex);
  if (all.programs.size() >= kMostPrograms) all.programs.clear();
  return all.programs.try_emplace(program->text, program).first->second;
}

}  // namespace kadvise::rowprogram
