#include "analyzer/core/torch_words.h"

#include <string_view>

namespace kadvise {
namespace {

void cutFront(std::string& line, std::string_view front) {
  if (line.rfind(front, 0) == 0) line.erase(0, front.size());
}

}  // namespace

std::string withoutInternals(std::string line) {
  if (line.rfind("[enforce fail at ", 0) == 0)
    if (auto end = line.find("] "); end != std::string::npos) line.erase(0, end + 2);
  for (std::string_view front : {". ", "err == 0. ", "DefaultCPUAllocator: "}) cutFront(line, front);
  for (std::string_view back :
       {"  (Could this error message be improved?", " (Could this error message be improved?"})
    if (auto at = line.find(back); at != std::string::npos) line.resize(at);
  return line;
}

}  // namespace kadvise
