// An assistant over engines that only speak, and a module for it to work on.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {

struct Setting {
  FakeEngines fake;
  Subject subject;
  AssistantOptions options;

  explicit Setting(const Json& scenario = Json::object()) : fake(scenario) {
    subject.path = fake.folder / "m.pt";
    std::ofstream(subject.path) << "a module";
    subject.inputs = {"float32[4,128]"};
    options.engines = fake.folder;
    options.timeLimitSeconds = 30;
  }
  Report analyze() { return CompilerOptimizationAssistant(options).analyze(subject); }
  Report optimize() { return CompilerOptimizationAssistant(options).optimize(subject, output()); }
  std::filesystem::path output() const { return fake.folder / "fast.pt"; }
  bool leftNothing() const {
    for (auto& e : std::filesystem::directory_iterator(fake.folder))
      if (e.path().extension() == ".tmp") return false;
    return !std::filesystem::exists(output());
  }
};

inline const Verdict* verdictOf(const Report& r, const std::string& candidate) {
  auto it =
      std::find_if(r.verdicts.begin(), r.verdicts.end(), [&](auto& v) { return v.candidate == candidate; });
  return it == r.verdicts.end() ? nullptr : &*it;
}

// The candidates that the written module has, in their order.
inline std::vector<std::string> applied(const Report& r) {
  std::vector<std::string> out;
  for (auto& a : r.composition.applied) out.push_back(a.candidate);
  return out;
}

inline bool asked(const FakeEngines& fake, const std::string& request) {
  auto all = fake.requests();
  return std::find(all.begin(), all.end(), request) != all.end();
}

// A scenario of two findings with a candidate each.
inline Json twoCandidates() {
  return {{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
          {"candidates", {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C2"}, {"findings", {"F2"}}}}}};
}

// The scenario with one more field.
inline Json with(Json scenario, const char* key, const Json& value) {
  scenario[key] = value;
  return scenario;
}

}  // namespace kadvise
