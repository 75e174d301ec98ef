// The part of a campaign that writes the optimised module.
#include <algorithm>
#include <system_error>

#include "analyzer/campaign.h"
#include "analyzer/core/file.h"
#include "analyzer/finding_policy.h"
#include "analyzer/selection.h"
#include "reports/headline.h"
#include "reports/ranking.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr int kOwnKernelsLevel = 4;  // generated or written by hand, in the library of operators

std::int64_t sizeOf(const fs::path& file) {
  std::error_code ec;
  auto bytes = fs::file_size(file, ec);
  return ec ? 0 : static_cast<std::int64_t>(bytes);
}

// Whether something proven equal is not kept for its time alone.
bool leavesOutEqual(const Report& r, Keep keep) {
  return std::any_of(r.candidates.begin(), r.candidates.end(), [&](auto& c) {
    return std::any_of(r.verdicts.begin(), r.verdicts.end(), [&](auto& v) {
      return v.candidate == c.id && outputsEqual(v) && !whyNotKept(v, keep).empty();
    });
  });
}

// What it was timed at stays, since it was measured; that it is equal does not.
void refute(Verdict& whole, const Verdict& written) {
  whole.outcome = written.outcome;
  whole.reason = written.reason;
  whole.accuracy = written.accuracy;
}

}  // namespace

// "" when the composed module deserves to be written.
std::string Campaign::whyNotWritten() const {
  const Verdict& whole = report_.whole;
  if (!report_.errors.empty() && whole.outcome == Outcome::NotRun) return "the run did not get that far";
  if (report_.composition.applied.empty() && !ownsGraphs())
    return (whole.reason.empty() ? "there is nothing to apply" : whole.reason) +
           (leavesOutEqual(report_, options_.keep)
                ? "; --keep equal writes what is proven equal, faster or not"
                : "");
  if (!outputsEqual(whole))
    return "the optimised module was not shown to be equal" +
           (whole.reason.empty() ? "" : ": " + whole.reason);
  if (whole.outcome == Outcome::Slower && options_.keep != Keep::Equal)
    return "the optimised module is slower as a whole (--keep equal writes it all the same)";
  if (whole.outcome == Outcome::Ambiguous && options_.keep != Keep::Equal)
    return "whether the optimised module is slower was not settled; give it more time with --budget, or "
           "write it all the same "
           "with --keep equal";
  return "";
}

void Campaign::write(const fs::path& output) {
  report_.output = Output{output.string(), false, whyNotWritten()};
  if (!report_.output->reason.empty()) return;
  phase("write");
  try {
    writeTo(output);
  } catch (const Error& e) {
    report_.output->reason = e.what();
    report_.errors.push_back({e.where, e.reason});
  }
}

// Beside the target, verified there with its own weights, and only then given its name.
void Campaign::writeTo(const fs::path& output) {
  Output& out = *report_.output;
  if (!reviveGraph()) throw Error("", "kadvise-graph could not be started again to write the module");
  TemporaryFile file(temporaryBeside(fs::absolute(output)));
  Json arguments = {{"candidates", appliedIds()},
                    {"without", suppressedIds(report_)},
                    {"path", file.path().string()},
                    {"weights", true},
                    {"provenance", provenance()}};
  if (ownsGraphs()) arguments["cudaGraph"] = graphPages();
  Reply written;
  try {
    written = askGraph("compose", arguments, "writing " + output.string());
  } catch (...) {
    graph_.reset();  // an engine that still writes would make the file again after it was removed
    throw;
  }
  if (!written) {
    if (written.kind == Reply::Kind::Died) noteLastLine(written);
    out.reason = written.reason;
    report_.errors.push_back({output.string(), out.reason});
    return;
  }
  for (auto& note : written.body.at("notes")) {
    auto& known = report_.composition.notes;
    auto text = note.get<std::string>();
    if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
  }
  Json proof =
      wholeArguments(file.path().string(), report_.composition, options_.budgetSeconds * wholeShare());
  proof["timing"] = proof["profile"] = false;
  Verdict again = compare("written", "checking the written file", proof);
  report_.verdicts.push_back(again);
  if (!outputsEqual(again)) {
    out.reason =
        "the written file does not give equal outputs" + (again.reason.empty() ? "" : ": " + again.reason);
    // The same module as the whole: what refutes the one refutes the other, and is no failure to run.
    if (again.outcome == Outcome::WrongOutput) refute(report_.whole, again);
    else report_.errors.push_back({"", out.reason});
    return;
  }
  out.fileBytes = sizeOf(file.path());
  out.originalBytes = sizeOf(subject_.path);
  if (needsLibrary()) out.library = setup_.installation.kernelLibrary.string();
  commitFile(file.path(), output);
  out.written = true;
}

Json Campaign::appliedIds() const {
  Json out = Json::array();
  for (auto& a : report_.composition.applied) out.push_back(a.candidate);
  return out;
}

bool Campaign::needsLibrary() const {
  auto isOwn = [&](const Applied& a) {
    return std::any_of(report_.candidates.begin(), report_.candidates.end(),
                       [&](auto& c) { return c.id == a.candidate && c.level >= kOwnKernelsLevel; });
  };
  auto& applied = report_.composition.applied;
  return ownsGraphs() || std::any_of(applied.begin(), applied.end(), isOwn);
}

// Travels inside the optimised module.
Json Campaign::provenance() const {
  Json rules = Json::array();
  for (auto& a : report_.composition.applied)
    for (auto& c : report_.candidates)
      if (c.id == a.candidate)
        rules.push_back({{"rule", c.rule},
                         {"candidate", c.id},
                         {"level", c.level},
                         {"exactness", word(c.exactness)},
                         {"domain", c.domain},
                         {"sites", a.sites}});
  const Verdict& whole = report_.whole;
  return {{"tool", report_.tool.name + " " + report_.tool.version},
          {"source", report_.subject.path},
          {"rules", rules},
          {"cudaGraph", ownsGraphs()},
          {"verdict",
           {{"outcome", word(whole.outcome)},
            {"speedup", whole.speedup},
            {"accuracy", whole.accuracy},
            {"headline", headline(report_).text}}},
          {"device", report_.device},
          {"environment", report_.environment},
          {"command", report_.command}};
}

}  // namespace kadvise
