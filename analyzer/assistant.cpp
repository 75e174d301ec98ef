#include "analyzer/assistant.h"

#include "analyzer/campaign.h"
#include "analyzer/component_check.h"
#include "analyzer/subject_check.h"

namespace kadvise {

CompilerOptimizationAssistant::CompilerOptimizationAssistant(AssistantOptions options)
    : options_(std::move(options)) {}

Report CompilerOptimizationAssistant::analyze(const Subject& subject) {
  return Campaign(options_, subject).advise("");
}

Report CompilerOptimizationAssistant::optimize(const Subject& subject, const std::filesystem::path& output) {
  if (!options_.verify)
    throw Error(output.string(), "nothing is written without proof; leave out --no-verify");
  checkOutput(checked(subject), output);
  return Campaign(options_, subject).advise(output);
}

Report CompilerOptimizationAssistant::examine(const Subject& subject, const std::string& kind, int heads) {
  return examineComponent(options_, checked(subject), kind, heads);
}

Report CompilerOptimizationAssistant::verify(const Subject& subject, const Opponent& opponent) {
  Subject other = subject;
  other.path = opponent.module.empty() ? opponent.expected : opponent.module;
  checked(other);
  return Campaign(options_, checked(subject)).verify(opponent);
}

Verdict CompilerOptimizationAssistant::validate(const Subject& original, const Subject& optimised) {
  auto path = checked(optimised).path;
  Subject both = original;
  both.opLibraries.insert(both.opLibraries.end(), optimised.opLibraries.begin(), optimised.opLibraries.end());
  return Campaign(options_, both).compareWith(path);
}

}  // namespace kadvise
