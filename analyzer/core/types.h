// The structs that every part of kadvise speaks in. Standard library only.
// Lines and columns are 1-based, columns count UTF-8 bytes, and 0 means unknown.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kadvise {

struct Location {
  std::string file;
  int line = 0, column = 0, endLine = 0, endColumn = 0;
  std::string scope;    // module path, "encoder.layers.3"
  std::string snippet;  // the source line, where it is known
  std::string note;     // of a related place: what it has to do with the finding
};

enum class Severity { Note, Opportunity, Warning, Error };
enum class Safety { DisplayOnly, Unsafe, Safe };
enum class Exactness { Exact, Reassociates, Approximates };  // the last is used only when the user asks

struct Edit {  // in bytes of the file
  std::string file;
  std::size_t offset = 0, length = 0;
  std::string text;
};

struct Rewrite {  // before and after are IR text for people; candidate names the pair of artefacts
  std::string candidate, before, after;
  int level = 1;
  Exactness exactness = Exactness::Exact;
  std::string domain;  // a declared difference in meaning, "" for none
};

struct Fix {
  std::string title;
  Safety safety = Safety::DisplayOnly;
  std::variant<std::vector<Edit>, Rewrite> change;
};

struct Estimate {                                 // from shapes alone; never shown as a measurement
  double bytesSaved = 0, flops = 0, speedup = 1;  // flops of the replacement
  std::string basis;
  double savedUs = 0;  // a call, at one site
};

struct Price {  // of a finding in sources, worked out from the source alone; never a measurement
  double value = 0;
  std::string unit;   // what value counts: "times the traffic of the access"
  std::string words;  // for people: a short phrase
  std::string basis;  // how it was got
  std::string gpu;    // whose rates are in it, an entry of hardware.h; "" for none
};

struct Finding {
  std::string id, rule, message;
  Severity severity = Severity::Opportunity;
  Location where;
  std::vector<Location> related;
  std::vector<Fix> fixes;
  std::optional<Estimate> estimate;
  std::optional<Price> price;
  std::string confidence;  // of a finding in sources: certain, likely, possible
  int round = 1;  // of matching: a later one looks at the module that replacements of those before it made
};

struct Mismatch {
  std::string at, reason;  // "%alpha", "is 2, the rule wants 1"
};

// A place where a rule matched, or nearly did, and why nothing is proposed there.
struct Refusal {
  std::string rule;
  Location where;
  Mismatch mismatch;
};

struct NotApplicable {
  std::string rule, reason;
};

struct Difference {
  Location where;
  Mismatch mismatch;
};

// A place where a rule nearly matched: what it lacks.
struct NearPlace {
  std::string rule;
  Location where;
  int sites = 1;            // equal layers count as one place
  int matched = 0, of = 0;  // operators of the pattern; 0 of 0 where the rule is none
  std::vector<Difference> differences;
};

struct Interval {
  double low = 0, mid = 0, high = 0;
};

// Errors against an fp64 reference, in units in the last place of the output's scale.
struct Accuracy {
  double rmsUlp = 0, p999Ulp = 0, maxUlp = 0, bias = 0, scale = 1;
  std::string grade;      // bitwise, one-ulp, at-least-as-accurate, within-bound, different
  std::string worstCase;  // the input distribution with the largest error
};

struct KernelRecord {
  std::string name, op, scope;
  Location where;
  double startUs = 0, durationUs = 0;
  std::array<int, 3> grid{}, block{};
  std::size_t bytes = 0;
};

struct Timing {
  std::string regime;  // cold, warm, hot
  std::vector<double> wallUs, busyUs;
  bool throttled = false;
};

struct Measurement {
  std::string subject, device;
  std::vector<Timing> timings;
  std::vector<KernelRecord> kernels;
  std::map<std::string, double> counters;
  std::size_t peakBytes = 0;
  double firstCallMs = 0;
};

enum class Outcome { Faster, Slower, Same, Ambiguous, WrongOutput, Failed, NotRun };

struct Verdict {
  std::string candidate;
  std::vector<std::string> findings;  // the measured one, and every equal site it speaks for
  Outcome outcome = Outcome::NotRun;
  Interval speedup;  // wall time before / after
  Accuracy accuracy;
  std::string reason;
  Measurement before, after;
};

// A candidate as kadvise-graph writes it: a region of the module and its replacement, each loadable alone.
// Paths are relative to the work directory. names maps an attribute of either module to the parameter of the
// user's module whose value belongs there.
struct Candidate {
  std::string id, rule, title;
  int level = 1;
  Exactness exactness = Exactness::Exact;
  std::string domain;
  std::string before, after, beforeFp64, afterFp64;
  std::map<std::string, std::string> names;
  std::vector<std::string> inputs;  // ids of the values that the region reads, in the order of its arguments
  std::vector<std::string> findings;  // equal sites: the first is the one that the pair was cut from
  bool ofRegion = false;  // a change of a whole region, on top of the candidates of other rules inside
  std::vector<std::string> parts;    // those of them that are done with it at all their sites
  int round = 1;                     // see Finding
  std::vector<std::string> follows;  // the candidates that make its places, in a later round
};

}  // namespace kadvise
