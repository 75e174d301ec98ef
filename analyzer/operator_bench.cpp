#include "analyzer/operator_bench.h"

#include "analyzer/measure_run.h"

namespace kadvise {

Report benchOperator(const AssistantOptions& options, const Subject& subject, const std::string& op,
                     const BenchOptions& wanted) {
  Report report;
  report.whole.reason = "not compared: an operator was timed";
  report.bench = Bench{op, 0, 0, {}, {}};
  MeasureRun run(options, subject, report);
  if (!run.open()) return report;
  auto done = run.ask("bench",
                      {{"op", op},
                       {"shapes", wanted.shapes},
                       {"dtype", wanted.dtype},
                       {"budgetSeconds", wanted.budgetSeconds}},
                      "timing " + op);
  if (done) report.bench = done->at("bench").get<Bench>();
  return report;
}

}  // namespace kadvise
