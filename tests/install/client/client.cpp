// client MODULE.pt INPUT…: a program of somebody else that asks for advice.
#include <cstdio>

#include "analyzer/assistant.h"
#include "reports/text.h"

int main(int argc, char** argv) {
  kadvise::AssistantOptions options;
  options.verify = false;
  kadvise::Subject subject;
  if (argc > 1) subject.path = argv[1];
  for (int i = 2; i < argc; ++i) subject.inputs.push_back(argv[i]);
  try {
    kadvise::Report report = kadvise::CompilerOptimizationAssistant(options).analyze(subject);
    std::printf("%s", kadvise::renderText(report, {}).c_str());
    return report.errors.empty() ? 0 : 2;
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    return 2;
  }
}
