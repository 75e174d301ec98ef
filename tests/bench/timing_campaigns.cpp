// What the timing of a comparison is worth on this machine: many campaigns in which the truth is known. In a
// control both modules are the same (two loads of one text); else the second does 5 % or 2 % more work, on
// the host and on the device. The work is added without a clock: chains of equal steps get more steps, short
// modules are called twice every 20th or 50th time.
//
//   timing_campaigns FILE [--device cuda] [--budget SECONDS] [--seconds SECONDS] [--part I/N] [--rounds N]
//
// A line of JSON for each campaign is appended to FILE; those that stand there already are not run again.
#include <torch/script.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "analyzer/core/error.h"
#include "analyzer/core/json.h"
#include "profiler/equivalence.h"
#include "profiler/measure.h"
#include "profiler/time_pair.h"
#include "profiler/values.h"
#include "tests/profiler/modules.h"

namespace kadvise {
namespace {

enum class Work { Repeated, Chained };

struct Subject {
  const char* name;
  Work work;
  const char* text;
  std::vector<std::string> onCuda, onCpu;  // of inputs; a chain's number of steps is appended
};

const std::vector<Subject> kSubjects = {
    {"relu, one launch",
     Work::Repeated,
     "def forward(self, x):\n  return torch.relu(x)\n",
     {"float32[256,256]"},
     {"float32[64,64]"}},
    {"two layers, small",
     Work::Repeated,
     "def forward(self, x, w, v):\n  return torch.linear(torch.relu(torch.linear(x, w)), v)\n",
     {"float16[64,512]", "float16[512,512]", "float16[512,512]"},
     {"float32[8,64]", "float32[64,64]", "float32[64,64]"}},
    {"attention, small",
     Work::Repeated,
     "def forward(self, q, k, v):\n"
     "  return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-1, -2)), -1), v)\n",
     {"float16[8,256,64]", "float16[8,256,64]", "float16[8,256,64]"},
     {"float32[2,16,16]", "float32[2,16,16]", "float32[2,16,16]"}},
    {"softmax, 64 MiB",
     Work::Repeated,
     "def forward(self, x):\n  return torch.softmax(x, -1)\n",
     {"float32[16384,1024]"},
     {"float32[512,64]"}},
    {"matmul, half, 100 us",
     Work::Repeated,
     "def forward(self, x, w):\n  return torch.mm(x, w)\n",
     {"float16[2048,4096]", "float16[4096,4096]"},
     {"float32[64,256]", "float32[256,256]"}},
    {"scale, 256 MiB",
     Work::Repeated,
     "def forward(self, x):\n  return x * 2\n",
     {"float32[65536,1024]"},
     {"float32[1024,256]"}},
    {"chain of small norms",
     Work::Chained,
     "def forward(self, x, w, n: int):\n  for i in range(n):\n    x = torch.layer_norm(x, [256], w)\n  "
     "return x\n",
     {"float32[64,256]", "float32[256]"},
     {"float32[4,256]", "float32[256]"}},
    {"chain of softmax, 8 MiB",
     Work::Chained,
     "def forward(self, x, n: int):\n  for i in range(n):\n    x = torch.softmax(x, -1)\n  return x\n",
     {"float32[2048,1024]"},
     {"float32[16,64]"}},
    {"chain of softmax, 64 MiB",
     Work::Chained,
     "def forward(self, x, n: int):\n  for i in range(n):\n    x = torch.softmax(x, -1)\n  return x\n",
     {"float32[16384,1024]"},
     {"float32[64,64]"}},
    {"chain of matmul and softmax",
     Work::Chained,
     "def forward(self, x, w, n: int):\n  for i in range(n):\n    x = torch.softmax(torch.mm(x, w), -1)\n"
     "  return x\n",
     {"float16[2048,4096]", "float16[4096,4096]"},
     {"float32[8,64]", "float32[64,64]"}},
};

// One more in so many runs or steps: 5 %, 2 %.
struct Kind {
  const char* name;
  int oneMoreIn;  // 0: nothing is added
};
constexpr Kind kControl{"control", 0}, kFivePercent{"5 %", 20}, kTwoPercent{"2 %", 50};
constexpr int kSteps = 100;
constexpr int kRoundsBetweenSlowDowns = 6;

struct Task {
  int number;
  const Subject* subject;
  Kind kind;
};

// Every round has one control of each subject, so that a part of the whole is balanced too.
std::vector<Task> tasks(int rounds) {
  std::vector<Task> out;
  auto add = [&](const Subject& s, Kind k) { out.push_back({static_cast<int>(out.size()), &s, k}); };
  for (int round = 0; round < rounds; ++round)
    for (auto& s : kSubjects) {
      add(s, kControl);
      if (round % kRoundsBetweenSlowDowns != 0 || round / kRoundsBetweenSlowDowns >= 6) continue;
      add(s, kFivePercent);
      add(s, kTwoPercent);
    }
  return out;
}

struct Options {
  std::string file, device = "auto";
  double budgetSeconds = 2, seconds = 1e9;
  int part = 1, parts = 1, rounds = 40;
};

Options optionsFrom(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      o.file = word;
      continue;
    }
    if (i + 1 == argc) throw Error(word, "wants a value");
    std::string value = argv[++i];
    if (word == "--device") o.device = value;
    else if (word == "--budget") o.budgetSeconds = std::stod(value);
    else if (word == "--seconds") o.seconds = std::stod(value);
    else if (word == "--rounds") o.rounds = std::stoi(value);
    else if (word == "--part" && std::sscanf(value.c_str(), "%d/%d", &o.part, &o.parts) == 2) continue;
    else throw Error(word, "is not an option of this program");
  }
  if (o.file.empty()) throw Error("timing_campaigns", "wants a file for the results");
  return o;
}

std::set<int> numbersIn(const std::string& file) {
  std::set<int> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    Json j = Json::parse(line, nullptr, false);
    if (j.is_object()) out.insert(j.at("campaign").get<int>());
  }
  return out;
}

Values batchOf(const Subject& s, const Device& device, int steps) {
  auto specs = device.isCuda() ? s.onCuda : s.onCpu;
  if (s.work == Work::Chained) specs.push_back(std::to_string(steps));
  return inputsFromSpecs(specs, "float32", device, 3);
}

struct Loaded {
  torch::jit::Module module;
  Values batch;
};

// Calls of the module; with oneMoreIn, one call in so many is made twice.
TimedRun runOf(Loaded& loaded, const Device& device, int oneMoreIn) {
  TimedRun run = timedRun(loaded.module, loaded.batch, device);
  if (oneMoreIn == 0) return run;
  auto calls = std::make_shared<int>(0);
  return {[once = run.once, calls, oneMoreIn] {
            once();
            if (++*calls % oneMoreIn == 0) once();
          },
          run.synchronize};
}

Json figuresOf(const Task& task, const Comparison& c, double seconds) {
  auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  return {{"campaign", task.number},
          {"module", task.subject->name},
          {"kind", task.kind.name},
          {"us", number(median(c.before.wallUs))},
          {"outcome", word(c.outcome)},
          {"low", number(c.speedup.low)},
          {"mid", number(c.speedup.mid)},
          {"high", number(c.speedup.high)},
          {"controlLow", number(c.control.low)},
          {"controlHigh", number(c.control.high)},
          {"units", c.units},
          {"repeated", c.repeated},
          {"warmUpRuns", c.beforeWarmUp.runs},
          {"settled", c.beforeWarmUp.settled && c.afterWarmUp.settled},
          {"seconds", seconds},
          {"reason", c.reason}};
}

Json campaign(const Task& task, const Values& batch, const Device& device, const Nvml* nvml,
              double budgetSeconds) {
  double startUs = steadyUs();
  c10::InferenceMode inference;
  const Subject& s = *task.subject;
  Loaded before{moduleFrom(s.text), cloneOf(batch)}, after{moduleFrom(s.text), cloneOf(batch)};
  bool isChain = s.work == Work::Chained;
  if (isChain && task.kind.oneMoreIn) after.batch.back() = kSteps + kSteps / task.kind.oneMoreIn;
  TimedRun first = runOf(before, device, 0), second = runOf(after, device, isChain ? 0 : task.kind.oneMoreIn);
  first.once();
  second.once();
  PairPlan pair{budgetSeconds, 1, static_cast<std::uint64_t>(task.number) + 1, nvml, {}, {}};
  Pulse silent;
  Comparison c = compareTimes(first, second, timingPlan(device, pair), silent);
  return figuresOf(task, c, (steadyUs() - startUs) / 1e6);
}

void runAll(const Options& o) {
  double endUs = steadyUs() + 1e6 * o.seconds;
  Device device = chooseDevice(o.device);
  std::unique_ptr<Nvml> nvml;
  if (device.isCuda()) nvml = std::make_unique<Nvml>(busIdOf(device));
  std::cerr << device.label()
            << (nvml ? ", NVML: " + (nvml->refused().empty() ? "read" : nvml->refused()) : "") << "\n";
  std::set<int> done = numbersIn(o.file);
  std::ofstream out(o.file, std::ios::app);
  std::map<const Subject*, Values> batches;
  for (auto& task : tasks(o.rounds)) {
    if (task.number % o.parts != o.part - 1 || done.count(task.number)) continue;
    if (steadyUs() > endUs) break;
    auto& batch = batches[task.subject];
    if (batch.empty()) batch = batchOf(*task.subject, device, kSteps);
    out << campaign(task, batch, device, nvml.get(), o.budgetSeconds).dump() << std::endl;
  }
}

}  // namespace
}  // namespace kadvise

int main(int argc, char** argv) {
  try {
    kadvise::runAll(kadvise::optionsFrom(argc, argv));
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
