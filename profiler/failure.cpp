#include "profiler/failure.h"

#include <c10/util/Exception.h>

#include <string_view>

#include "analyzer/core/error.h"
#include "analyzer/core/torch_words.h"

namespace kadvise {
namespace {

constexpr std::size_t kLongest = 400;

std::string_view firstLine(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  return text.substr(0, text.find('\n'));
}

std::string_view lastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

// "builtins.Exception: no" -> "no"
std::string_view exceptionIn(std::string_view line) {
  auto colon = line.find(": ");
  bool named = colon != std::string_view::npos && line.find(' ') == colon + 1;
  return named ? line.substr(colon + 2) : line;
}

}  // namespace

std::string reasonOf(const std::exception& e) {
  if (auto* ours = dynamic_cast<const Error*>(&e)) return ours->reason;
  auto* torchs = dynamic_cast<const c10::Error*>(&e);
  std::string text = torchs ? torchs->what_without_backtrace() : e.what();
  std::string_view rest = text;
  // The interpreter writes its traceback first and the cause last.
  if (rest.find("TorchScript interpreter") != std::string_view::npos) {
    if (auto at = rest.rfind("Error: "); at != std::string_view::npos) rest.remove_prefix(at + 7);
    else rest = exceptionIn(lastLine(rest));
  }
  std::string line = withoutInternals(std::string(firstLine(rest)));
  if (line.size() > kLongest) line.resize(kLongest), line += "…";
  return line.empty() ? "failed without saying why" : line;
}

bool lacksMemory(const std::string& reason) { return reason.find("out of memory") != std::string::npos; }

}  // namespace kadvise
