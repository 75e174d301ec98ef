// Folders with engines that answer as a scenario says (fake_engine.py). Their conversations stay in the build
// tree, where the test analyzer_messages holds them against the schema.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

struct FakeEngines {
  std::filesystem::path folder;

  explicit FakeEngines(const Json& scenario = Json::object()) {
    namespace fs = std::filesystem;
    auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name)
      if (c == '/') c = '-';
    folder = fs::path(KADVISE_BIN_DIR).parent_path() / "tests" / "fake" / name;
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const char* engine : {"kadvise-graph", "kadvise-measure"})
      fs::copy_file(fs::path(KADVISE_SOURCE_DIR) / "tests/analyzer/fake_engine.py", folder / engine);
    std::ofstream(folder / "scenario.json") << scenario;
  }

  std::filesystem::path graph() const { return folder / "kadvise-graph"; }
  std::filesystem::path measure() const { return folder / "kadvise-measure"; }
  std::filesystem::path log() const { return folder / "engine.log"; }

  std::string read(const char* file) const {
    std::stringstream text;
    text << std::ifstream(folder / file).rdbuf();
    return text.str();
  }
  // The requests that were sent, in order: verb, or verb:candidate.
  std::vector<std::string> requests() const {
    std::vector<std::string> out;
    std::stringstream lines(read("messages.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      Json message = Json::parse(line);
      if (!message.contains("verb")) continue;
      std::string name = message["verb"];
      if (message["arguments"].contains("candidate"))
        name += ":" + message["arguments"]["candidate"].get<std::string>();
      out.push_back(name);
    }
    return out;
  }
};

inline Json fault(const std::string& engine, const std::string& verb, const std::string& how, int times = 1) {
  return {{"engine", "kadvise-" + engine}, {"verb", verb}, {"do", how}, {"times", times}};
}

inline Json scenarioWith(const std::vector<Json>& faults) { return {{"faults", faults}}; }

}  // namespace kadvise
