#include "analyzer/sanitizer.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kToolkitFolder = "/usr/local/cuda/bin";
constexpr const char* kUncached = "PYTORCH_NO_CUDA_MEMORY_CACHING=1";
constexpr const char* kMark = "=========";
constexpr const char* kAt = "    at ";          // before the kernel of an error, on a line of its own
constexpr const char* kAccess = " access at ";  // the same of a race, on the line of the error
constexpr std::size_t kMostQuotedBytes = 200;

// "ERROR SUMMARY: 3 errors" -> 3, after the mark.
std::optional<long> numberAfter(const std::string& line, const std::string& mark) {
  auto at = line.find(mark);
  if (at == std::string::npos) return std::nullopt;
  long value = 0;
  const char* begin = line.data() + at + mark.size();
  auto [end, error] = std::from_chars(begin, line.data() + line.size(), value);
  return error == std::errc() && value >= 0 ? std::optional<long>(value) : std::nullopt;
}

// Every line of the tool without its mark; what the program itself printed has none.
std::vector<std::string> markedLines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(kMark)) continue;
    line.erase(0, std::string(kMark).size());
    if (line.starts_with(' ')) line.erase(0, 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    out.push_back(line);
  }
  return out;
}

// "void copy(float *)+0x70 in copy.cu:12" and, of older versions, "0x70 in copy.cu:12:void copy(float *)" ->
// "void copy(float *)"
std::string kernelIn(const std::string& place) {
  if (place.starts_with("0x")) {
    auto in = place.find(" in ");
    std::string rest = in == std::string::npos ? place : place.substr(in + 4);
    for (std::size_t at = 0; (at = rest.find(':', at)) != std::string::npos; ++at) {
      std::size_t end = rest.find_first_not_of("0123456789", at + 1);
      if (end != std::string::npos && end > at + 1 && rest[end] == ':') return rest.substr(end + 1);
    }
    return rest;
  }
  return place.substr(0, std::min(place.find("+0x"), place.find(" in ")));
}

void readFirstError(const std::vector<std::string>& lines, SanitizerLog& log) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto at = lines[i].find(kAccess); at != std::string::npos && !lines[i].starts_with(' ')) {
      log.kind = lines[i].substr(0, at) + " access";
      log.kernel = kernelIn(lines[i].substr(at + std::string(kAccess).size()));
    } else if (i + 1 < lines.size() && !lines[i].starts_with(' ') && lines[i + 1].starts_with(kAt)) {
      log.kind = lines[i];
      log.kernel = kernelIn(lines[i + 1].substr(std::string(kAt).size()));
    } else {
      continue;
    }
    return;
  }
}

}  // namespace

const std::vector<std::string>& sanitizerTools() {
  static const std::vector<std::string> tools = {"memcheck", "racecheck", "initcheck", "synccheck"};
  return tools;
}

fs::path findSanitizer() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "") + ":" + kToolkitFolder);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path program = fs::path(folder) / kSanitizerName;
    std::error_code ec;
    if (!folder.empty() && fs::is_regular_file(program, ec) && ::access(program.c_str(), X_OK) == 0)
      return fs::absolute(program);
  }
  throw Error("--sanitize", std::string(kSanitizerName) + " is neither on PATH nor in " + kToolkitFolder +
                                "; install the CUDA toolkit, or add the folder that holds it to PATH");
}

Program sanitized(const Program& program, const fs::path& sanitizer, const std::string& tool,
                  const fs::path& log) {
  Program out(sanitizer, program.libraryPath);
  // Calls of the CUDA API that fail and are looked after by LibTorch are no errors of a kernel.
  out.arguments = {"--tool", tool, "--log-file", log.string(), "--report-api-errors", "no"};
  // Blocks lie side by side: what is read behind one is another's, and no error, without room between them.
  if (tool == "memcheck") out.arguments.insert(out.arguments.end(), {"--padding", "256"});
  out.arguments.push_back(program.path.string());
  out.arguments.insert(out.arguments.end(), program.arguments.begin(), program.arguments.end());
  out.environment = program.environment;
  out.environment.push_back(kUncached);
  return out;
}

SanitizerLog parseSanitizerLog(const std::string& text) {
  SanitizerLog log;
  auto lines = markedLines(text);
  for (const std::string& line : lines) {
    if (!line.empty()) log.lastLine = line.substr(0, kMostQuotedBytes);
    if (auto errors = numberAfter(line, "ERROR SUMMARY: ")) {
      log.isComplete = true;
      log.errors = std::max(log.errors, *errors);
    } else if (line.find("RACECHECK SUMMARY: ") != std::string::npos) {
      // "2 hazards displayed (1 error, 1 warning)"
      log.isComplete = true;
      log.errors = std::max(log.errors, numberAfter(line, "(").value_or(0));
      log.warnings = numberAfter(line, ", ").value_or(0);
    }
  }
  if (log.errors > 0) readFirstError(lines, log);
  return log;
}

std::string words(const SanitizerLog& log) {
  std::string out =
      log.errors == 0 ? "no error" : std::to_string(log.errors) + (log.errors == 1 ? " error" : " errors");
  if (!log.kind.empty())
    out += (log.errors == 1 ? ": " : ", the first: ") + log.kind + " in kernel " + log.kernel;
  if (log.warnings > 0)
    out += " (and " + std::to_string(log.warnings) + (log.warnings == 1 ? " warning)" : " warnings)");
  return out;
}

}  // namespace kadvise
