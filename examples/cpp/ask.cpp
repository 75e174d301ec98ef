// ask MODULE.pt INPUT…: asks for advice and prints what is found.
#include <cstdio>

#include "analyzer/assistant.h"

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: ask MODULE.pt INPUT...\n"), 2;
  kadvise::Subject subject;
  subject.path = argv[1];
  subject.inputs.assign(argv + 2, argv + argc);  // "float32[8,3,224,224]", one for each argument
  kadvise::AssistantOptions options;
  options.verify = false;  // true: each proposal is measured, too
  try {
    kadvise::Report report = kadvise::CompilerOptimizationAssistant(options).analyze(subject);
    for (auto& f : report.findings) std::printf("%s: %s\n", f.rule.c_str(), f.message.c_str());
    for (auto& e : report.errors) std::fprintf(stderr, "%s: %s\n", e.where.c_str(), e.what.c_str());
    return report.errors.empty() ? 0 : 2;
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 2;
  }
}
