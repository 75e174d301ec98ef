// A report with one of everything.
#pragma once

#include <limits>

#include "reports/report.h"

namespace kadvise {

inline Finding sampleFinding(const std::string& id, const std::string& rule, int line) {
  Finding f;
  f.id = id;
  f.rule = rule;
  f.message = "a message about " + id;
  f.where = {"/home/user/project/model.py", line, 5, line, 30, "encoder.layers." + id,
             "y = self.norm(x + r)",        ""};
  f.estimate = Estimate{4 << 20, 0, 1.3, "bytes moved"};
  return f;
}

inline Candidate sampleCandidate(const std::string& id, const std::string& finding) {
  Candidate c;
  c.id = id;
  c.rule = "fusion/add-layer-norm";
  c.title = "title of " + id;
  c.level = 5;
  c.exactness = Exactness::Reassociates;
  c.names = {{"w", "encoder.weight"}};
  c.inputs = {"v1"};
  c.findings = {finding};
  return c;
}

inline Verdict sampleVerdict(const std::string& id, Outcome outcome, double speedup, double wallUs) {
  Verdict v;
  v.candidate = id;
  v.outcome = outcome;
  v.speedup = {speedup - 0.05, speedup, speedup + 0.05};
  v.accuracy.grade = "within-bound";
  v.before.timings = {{"warm", {wallUs, wallUs, wallUs}, {}, false}};
  v.after.timings = {{"warm", {wallUs / speedup, wallUs / speedup, wallUs / speedup}, {}, false}};
  return v;
}

// A worst one, one that has no tail to look at, one that is equal and one that says nothing.
inline std::vector<CaseErrors> sampleCases() {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {{"inputs", "output 0", "within-bound", "", 0.5, 1, 1.5, 2, 4, 8, 0.25},
          {"large", "output 1", "within-bound", "", 0.5, 3, 1.5, 2, 4, 8, 0.75},
          {"length 1", "output 0", "one-ulp", "", 0.2, 0.4, 0.4, 2, kNone, 8, 0.1},
          {"zeros", "", "bitwise", "", 0, 0, 0, 0, 0, 0, 0},
          {"infinite", "", "", "no finite output", 0, 0, 0, 0, 0, 0, 0}};
}

inline Report sampleReport() {
  Report r;
  r.tool = {"kadvise", "0.1.0"};
  r.command = {"kadvise", "model.pt", "--input", "int64[2,128]<1000"};
  r.environment = {{"torch", "2.11.0"}, {"cpuThreads", "2"}};
  r.device = {"cuda", 0, "NVIDIA H200", 90};
  r.subject = {"model.pt", "traced", 1200, 109'482'240, 437'928'960, {{"ids", "Tensor"}}};
  r.inputs = {{"int64[2,128]<1000"}, "options", "", 0};
  r.findings = {
      sampleFinding("F1", "fusion/add-layer-norm", 10), sampleFinding("F2", "fusion/add-layer-norm", 20),
      sampleFinding("F3", "fusion/add-layer-norm", 30), sampleFinding("F4", "graph-break/host-read", 40),
      sampleFinding("F7", "graph-break/host-read", 70)};
  r.findings[3].severity = Severity::Warning;
  r.candidates = {sampleCandidate("small", "F1"), sampleCandidate("large", "F2"),
                  sampleCandidate("slow", "F3")};
  r.candidates[1].findings = {"F2", "F5", "F6"};
  r.candidates[1].domain = "rows masked entirely: NaN becomes 0";
  r.verdicts = {sampleVerdict("small", Outcome::Faster, 1.2, 100),
                sampleVerdict("large", Outcome::Faster, 2, 200),
                sampleVerdict("slow", Outcome::Slower, 0.8, 100)};
  r.whole = sampleVerdict("whole", Outcome::Faster, 1.42, 2060);
  r.caseErrors["large"] = sampleCases();
  r.whole.before.kernels.resize(412);
  r.whole.after.kernels.resize(286);
  r.composition.applied = {{"small", 1}, {"large", 3}};
  r.composition.dropped = {{"slow", "it is slower in its region"}};
  r.search = {{"all that is equal and not slower in its region",
               {"small", "large"},
               {},
               Outcome::Faster,
               {1.37, 1.42, 1.47},
               "the start"},
              {"also what is equal and not faster alone",
               {"small", "large", "slow"},
               {"small", "large"},
               Outcome::Slower,
               {0.95, 0.96, 0.97},
               "not taken: clearly slower"}};
  r.configuration = "kadvise.toml";
  r.suppressed = {{"F7", "read once, at the end", "kadvise.toml:4"}};
  r.baseline =
      BaselineUse{"known.json", {"F1"}, {{"model.pt", "fusion/add-layer-norm", "old", "F0", "gone"}}};
  r.refused = {
      {"fusion/conv-batch-norm", {"model.py", 7, 0, 0, 0, "stem", "", ""}, {"%bn", "is in training mode"}}};
  r.notApplicable = {{"fusion/attention-written-out", "no softmax"}};
  r.rules["fusion/add-layer-norm"] = {
      "a residual add and its LayerNorm",
      {{"What to write instead", "`y = fused(x, r)`"}, {"In C++", "`fused(x, r);`"}}};
  r.estimate = WholeEstimate{"H100", "no GPU is in use", 412, 4e8, 2e8, 22.35e9, 1000, {{"aten::odd", 2}}, 1};
  r.modules = {{"", "BertModel", 40, 4e8, 2e8, 22.35e9, 1000, 100, 1},
               {"encoder.layer.0.dense", "Linear", 1, 1e8, 1e8, 10e9, 400, 400, 0.4},
               {"encoder.layer.1.dense", "Linear", 1, 1e8, 1e8, 10e9, 400, 400, 0.4},
               {"head", "Linear", 1, 1e8, 0, 2e9, 100, 100, 0.1}};
  r.memory = PeakMemory{412 << 20,
                        {"model.py", 7, 0, 0, 0, "encoder.layers.3.fc1", "", ""},
                        "aten::linear",
                        {{100 << 20,
                          "float32[8,128,25600]",
                          "aten::gelu",
                          {"model.py", 8, 0, 0, 0, "encoder.layers.3.act", "", ""}}},
                        418 << 20,
                        4096};
  r.timing = {{"load", 0.5}, {"total", 12.5}};
  r.notes = {"a note"};
  ReadyRegion first{40, 0.625, {"model.py", 12, 0, 0, 0, "", "", ""}, {"model.py", 39, 0, 0, 0, "", "", ""}},
      second{20, 0.25, {"model.py", 41, 0, 0, 0, "", "", ""}, {"model.py", 60, 0, 0, 0, "", "", ""}};
  r.readiness = Readiness{
      "traced bytes",
      {"graph-break/host-read"},
      {{"cuda-graph", {first, second}, {{"graph-break/host-read", {"F4"}, r.findings[3].where}}, 0.875},
       {"fusion", {first}, {}, 1},
       {"compile", {first, second}, {{"graph-break/host-read", {"F4"}, r.findings[3].where}}, 0.875},
       {"export", {first}, {}, 1}}};
  return r;
}

inline ProfileView sampleView(const std::string& mode, double us) {
  ProfileView v;
  v.mode = mode;
  v.basis = "gpu-kernels";
  v.timing = {"warm", {us, us, us}, {}, false};
  v.wallUs = {us - 1, us, us + 1};
  v.gpu = GpuActivity{10, us, us / 2, us / 4, us / 4, 9, 0.25, 1, 12, 1, 0, 4096, 0.031};
  v.attribution = Attribution{1, 0.99, 0.4, 0.8, "recorded", 1, 3, 40};
  KernelRow kernel;
  kernel.name = "void gemm<128, 64>", kernel.op = "aten::linear", kernel.launches = 2;
  kernel.where = {"model.py", 7, 0, 0, 0, "encoder.layer.0.dense", "", ""};
  kernel.us = 30, kernel.share = 0.6, kernel.longestUs = 16, kernel.occupancy = 0.25;
  v.kernels = {kernel};
  v.operators = {{"aten::linear", {}, 2, 30, 0.6}, {"aten::add", {}, 10, 20, 0.4}};
  v.modules = {{"encoder.layer.0.dense", {}, 1, 15, 0.3},
               {"encoder.layer.1.dense", {}, 1, 15, 0.3},
               {"", {}, 10, 20, 0.4}};
  v.lines = {{"model.py:7", kernel.where, 12, 50, 1}};
  v.launches.resize(1);
  return v;
}

inline Profile sampleProfile() {
  Profile p;
  p.firstCallMs = 812, p.warmUpMs = {3, 2, 2}, p.compileMs = 811;
  p.views = {sampleView("as-loaded", 100), sampleView("graph-replay", 60)};
  p.views[1].captureMs = 4, p.views[1].instantiateMs = 0.5;
  p.memory = MemoryTimeline{1 << 20,
                            40,
                            4 << 20,
                            12,
                            {{0, 0}, {40, 1 << 20}},
                            {{1 << 19, "aten::linear", p.views[0].kernels[0].where}}};
  CountedKernel k;
  k.name = "void gemm<128, 64>", k.op = "aten::linear", k.us = 15, k.dramReadBytes = 1 << 20,
  k.dramShareOfPeak = 0.88, k.occupancy = 0.25;
  k.bound = "memory", k.why = "DRAM moves 88 % of what it can",
  k.metrics = {{"dram__bytes_read.sum", 1 << 20}};
  p.counted = {k};
  p.countedHow = "each kernel by itself";
  p.absent = {{"the replay of a CUDA graph", "the capture failed", "look under Readiness"}};
  p.notes = {"a note on the profile"};
  return p;
}

inline std::vector<LevelRow> sampleLevels() {
  LevelRow loaded{0, "as loaded", {}, {}};
  loaded.verdict.after = {"as loaded", "cpu", {{"warm", {300}, {}, false}}, {}, {}, 1 << 20, 300};
  LevelRow frozen{2, "frozen TorchScript", sampleVerdict("frozen", Outcome::Faster, 1.5, 300), {}};
  LevelRow graph{3, "CUDA graph", {}, {"a note on the level"}};
  graph.verdict.reason = "a CUDA graph needs a GPU";
  return {loaded, frozen, graph};
}

}  // namespace kadvise
