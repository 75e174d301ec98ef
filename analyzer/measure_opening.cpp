#include "analyzer/measure_opening.h"

namespace kadvise {
namespace fs = std::filesystem;

Json openArguments(const Subject& subject, const std::string& path, std::int64_t seed) {
  return {{"path", path},
          {"device", subject.device},
          {"inputs", subject.inputs},
          {"inputsFile", subject.inputsFile.empty() ? "" : fs::absolute(subject.inputsFile).string()},
          {"seed", seed}};
}

bool areInputsMissing(const Reply& opened) {
  return opened.kind == Reply::Kind::Refused && opened.where == "inputs";
}

Reply openWithGuesses(MeasureSession& measure, const std::vector<std::string>& guessed, Reply refused,
                      const WaitHooks& hooks, Report& report) {
  if (guessed.empty()) return refused;
  measure.beginWith({{"inputs", guessed}});
  Reply opened = measure.finishOpening(hooks);
  if (!opened) return areInputsMissing(opened) ? refused : opened;
  report.inputs.from = "inferred";
  std::string words;
  for (auto& g : guessed) words += (words.empty() ? "" : " ") + g;
  report.notes.push_back("no inputs were given: they were guessed from the first weights (" + words +
                         "); give --input for each where they are not what you run");
  return opened;
}

}  // namespace kadvise
