#include "analyzer/source/attempt.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr auto kForgotten = std::chrono::hours(24);
constexpr std::size_t kMost = 3;
constexpr int kStartTime = 20;  // of the words behind the program's name in /proc/N/stat: when it was started

std::vector<std::string> linesOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

std::string lifeOf(long process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string stat{std::istreambuf_iterator<char>(in), {}};
  auto name = stat.rfind(')');
  if (name == std::string::npos) return "";
  std::istringstream words(stat.substr(name + 1));
  std::string word;
  for (int i = 0; i < kStartTime; ++i) words >> word;
  return words ? std::to_string(process) + " " + word : "";
}

Attempt::Attempt(fs::path mark) : mark_(std::move(mark)) {}

bool Attempt::isHopeless() const {
  std::error_code ec;
  auto time = fs::last_write_time(mark_, ec);
  if (ec || fs::file_time_type::clock::now() - time > kForgotten) return false;
  auto runs = linesOf(mark_);
  for (auto& run : runs)
    if (!run.empty() && lifeOf(std::strtol(run.c_str(), nullptr, 10)) == run) return true;
  return runs.size() >= kMost;
}

// The run is known by the program that has started this one.
void Attempt::begin() const { std::ofstream(mark_, std::ios::app) << lifeOf(::getppid()) << '\n'; }

void Attempt::end() const {
  std::error_code ec;
  fs::remove(mark_, ec);
}

}  // namespace kadvise::source
