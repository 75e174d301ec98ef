#include "tests/kernels/rowprogram/emulated.h"

#include "kernels/rowprogram/call_problem.h"
#include "kernels/rowprogram/call_shapes.h"
#include "kernels/rowprogram/interpret.h"
#include "kernels/rowprogram/prelude.h"
#include "tests/kernels/rowprogram/emulated_pieces.h"

#include <ATen/ATen.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace kadvise::rowprogram {
namespace {

namespace fs = std::filesystem;

// So few that a persistent kernel's blocks have several rows in turn.
Gpu gpuFor(const Schedule& s) {
  Gpu gpu;
  if (!s.persistent) return gpu;
  gpu.sms = 1;
  gpu.threadsPerSm = 2 * s.block;
  return gpu;
}

std::vector<at::Tensor> expected(const EmulatedCase& c, const Prepared& p) {
  std::vector<at::Tensor> wide;
  for (const at::Tensor& t : c.inputs) wide.push_back(t.is_floating_point() ? t.to(at::kDouble) : t);
  if (c.pieces.empty()) return interpret(*p.program, wide);
  return {joinedPieces(c, wide)};
}

Prepared prepare(const EmulatedCase& c) {
  if (!c.pieces.empty()) return preparedPieces(c);
  Prepared p;
  p.program = parsed(c.text);
  checkCall(*p.program, c.inputs);
  p.outputs = p.results = emptyOutputs(*p.program, c.inputs);
  const char* why = "";
  const auto problem = problemOf(*p.program, c.inputs, p.outputs, &why);
  if (!problem) {
    p.problem = std::string("not served: ") + why;
    return p;
  }
  std::string whyNot;
  std::optional<Schedule> schedule = scheduleOf(c.schedule);
  if (c.schedule.empty()) {
    const auto all = schedulesFor(*problem, Gpu{}, &whyNot);
    if (!all.empty()) schedule = all[0];
  } else if (c.schedule == "generic") {
    schedule = genericFor(*problem, Gpu{});
  }
  if (!schedule || !runs(*schedule, *problem, Gpu{})) p.problem = "no schedule " + c.schedule + " " + whyNot;
  else p.source = emit(*problem, *schedule, gpuFor(*schedule));
  return p;
}

// The kernels of one case behind names of its own, and a function that launches them all.
std::string sourceOf(const Prepared& p, std::size_t number, std::size_t parameters) {
  std::string text = p.source.text;
  const std::string head(prelude());
  text.replace(text.find(head), head.size(), "");
  std::ostringstream out;
  const std::string prefix = "case" + std::to_string(number) + "_";
  for (const Launch& l : p.source.launches) out << "#define " << l.name << " " << prefix << l.name << "\n";
  out << "namespace " << prefix << " {\n"
      << text << "}\nusing namespace " << prefix << ";\n"
      << "extern \"C\" const char* run" << number
      << "(void** a, const long long* n) {\n  static std::string error; error.clear(); (void)n;\n";
  for (const Launch& l : p.source.launches) {
    out << "  error += emulation::launch({{" << l.grid[0] << ", " << l.grid[1] << ", " << l.grid[2] << "}, {"
        << l.block << "}, " << l.cluster << ", " << l.sharedBytes << "}, [&] { " << l.name << "(";
    for (std::size_t i = 0; i < parameters; ++i) out << (i ? ", " : "") << "a[" << i << "]";
    for (std::size_t i = 0; i < p.source.numbers.size(); ++i) out << ", n[" << i << "]";
    out << "); });\n";
  }
  out << "  return error.c_str();\n}\n";
  for (const Launch& l : p.source.launches) out << "#undef " << l.name << "\n";
  return out.str();
}

const char* kAround = R"(#include "tests/kernels/emulation/generated.h"
extern "C" void allow(const void* p, unsigned long long bytes) {
  if (!p) emulation::ranges.clear();
  else emulation::ranges.push_back({(const char*)p, (const char*)p + bytes});
}
)";

unsigned long long spanBytes(const at::Tensor& t) {
  std::int64_t last = 0;
  for (std::int64_t d = 0; d < t.dim(); ++d) last += (t.size(d) - 1) * t.stride(d);
  return t.numel() ? static_cast<unsigned long long>((last + 1) * t.element_size()) : 0;
}

std::string differs(const at::Tensor& got, const at::Tensor& want, bool rounds, double relative) {
  if (!got.is_floating_point()) {
    const auto wrong = got.ne(want.to(got.scalar_type())).sum().item<std::int64_t>();
    return wrong ? std::to_string(wrong) + " of " + std::to_string(got.numel()) + " differ; " : "";
  }
  const at::Tensor a = got.to(at::kDouble), b = want.to(got.scalar_type()).to(at::kDouble),
                   exact = want.to(at::kDouble);
  const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
  const at::Tensor usable = exact.isfinite();
  const double scale =
      usable.any().item<bool>() ? exact.masked_select(usable).square().mean().sqrt().item<double>() : 0;
  const double unit = got.scalar_type() == at::kFloat && !rounds ? 4e-6
                      : got.scalar_type() == at::kHalf           ? 1e-3
                                                                 : 8e-3;
  const at::Tensor allowed =
      relative > 0 ? exact.abs().mul(relative) : exact.abs().add(scale * 0.2).mul(unit);
  const at::Tensor near = a.sub(exact).abs().le(allowed);
  const auto wrong = same.logical_or(near).logical_not().sum().item<std::int64_t>();
  if (!wrong) return {};
  const at::Tensor first = same.logical_or(near).logical_not().flatten().nonzero()[0];
  std::ostringstream out;
  out << wrong << " of " << got.numel() << " differ, the first at " << first.item<std::int64_t>() << ": "
      << a.flatten()[first.item<std::int64_t>()].item<double>() << " for "
      << exact.flatten()[first.item<std::int64_t>()].item<double>() << "; ";
  return out.str();
}

using Run = const char*(void**, const long long*);
using Allow = void(const void*, unsigned long long);

// What the kernels say of themselves.
std::string launch(const Source& source, const std::vector<at::Tensor>& inputs,
                   const std::vector<at::Tensor>& outputs, Run* run, Allow* allow) {
  std::vector<void*> addresses;
  allow(nullptr, 0);
  for (const auto* list : {&inputs, &outputs})
    for (const at::Tensor& t : *list) {
      addresses.push_back(const_cast<void*>(t.const_data_ptr()));
      allow(addresses.back(), spanBytes(t));
    }
  std::vector<char> scratch(source.scratchBytes + 16, static_cast<char>(0xff));
  if (source.scratchBytes) {
    addresses.push_back(
        reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(scratch.data()) + 15) / 16 * 16));
    allow(addresses.back(), source.scratchBytes);
  }
  const std::vector<long long> numbers(source.numbers.begin(), source.numbers.end());
  return run(addresses.data(), numbers.data());
}

std::string differAll(const EmulatedCase& c, const std::vector<at::Tensor>& got,
                      const std::vector<at::Tensor>& want) {
  const bool rounds =
      c.text.find("cast bfloat16") != std::string::npos || c.text.find("cast float16") != std::string::npos;
  std::string wrong;
  for (std::size_t o = 0; o < want.size(); ++o) wrong += differs(got[o], want[o], rounds, c.relative);
  return wrong;
}

// The same with outputs in the memory of the inputs that they may overwrite.
std::string runInPlace(const EmulatedCase& c, const Prepared& p, const std::vector<at::Tensor>& want,
                       Run* run, Allow* allow) {
  if (!p.program) return {};
  std::vector<at::Tensor> inputs = c.inputs, outputs = p.outputs;
  bool isAny = false;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const int over = p.program->outputs[o].over;
    if (over < 0 || !p.source.overwritten[static_cast<std::size_t>(over)]) continue;
    isAny = true;
    outputs[o] = inputs[static_cast<std::size_t>(over)].clone();
    inputs[static_cast<std::size_t>(over)] = outputs[o];
  }
  if (!isAny) return {};
  const std::string wrong = launch(p.source, inputs, outputs, run, allow) + differAll(c, outputs, want);
  return wrong.empty() ? wrong : "in place: " + wrong;
}

std::string runOne(const EmulatedCase& c, Prepared& p, void* library, std::size_t number) {
  const auto allow = reinterpret_cast<Allow*>(dlsym(library, "allow"));
  const auto run = reinterpret_cast<Run*>(dlsym(library, ("run" + std::to_string(number)).c_str()));
  if (!allow || !run) return "not compiled";
  for (at::Tensor& t : p.results) std::memset(t.mutable_data_ptr(), 0x7f, spanBytes(t));
  const auto want = expected(c, p);
  const std::string wrong = launch(p.source, c.inputs, p.outputs, run, allow) + differAll(c, p.results, want);
  return wrong + runInPlace(c, p, want, run, allow);
}

// Where it fails, there is no library to load.
void compileTo(const std::string& arguments, const fs::path& log) {
  [[maybe_unused]] const int status = std::system(
      (std::string(KADVISE_CXX) +
       " -std=c++20 -O0 -w -ffp-contract=off -fno-builtin-memset -fPIC -I" KADVISE_SOURCE_DIR " " +
       arguments + " > " + log.string() + " 2>&1")
          .c_str());
}

// What is around all kernels, three quarters of what is to be read: read once, for all cases of this process.
struct Around {
  fs::path folder = fs::path(testing::TempDir()) / ("rowprogram_around_" + std::to_string(getpid()));
  std::string header = (folder / "around.h").string();
  Around() {
    fs::create_directories(folder);
    std::ofstream(header) << kAround << prelude();
    compileTo("-x c++-header " + header + " -o " + header + ".gch", folder / "log");
  }
  ~Around() {
    if (!std::getenv("KADVISE_KEEP_EMULATED")) fs::remove_all(folder);
  }
};

void compile(const fs::path& folder, std::size_t part) {
  static const Around around;
  const std::string base = (folder / ("part" + std::to_string(part))).string();
  compileTo("-shared -include " + around.header + " -o " + base + ".so " + base + ".cpp", base + ".log");
}

constexpr std::size_t kParts = 2;  // for two compilers

std::string partOf(const fs::path& folder, std::size_t part, const char* suffix) {
  return (folder / ("part" + std::to_string(part) + suffix)).string();
}

void write(const fs::path& folder, const std::vector<EmulatedCase>& cases,
           const std::vector<Prepared>& prepared) {
  std::vector<std::string> sources(kParts);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Prepared& p = prepared[i];
    if (!p.problem.empty()) continue;
    sources[i % kParts] +=
        sourceOf(p, i, cases[i].inputs.size() + p.outputs.size() + (p.source.scratchBytes ? 1 : 0));
    if (std::getenv("KADVISE_KEEP_EMULATED"))
      std::ofstream(folder / ("case" + std::to_string(i) + ".cu")) << p.source.text;
  }
  for (std::size_t part = 0; part < kParts; ++part)
    std::ofstream(partOf(folder, part, ".cpp")) << sources[part];
}

void compileAll(const fs::path& folder) {
  std::vector<std::thread> compilers;
  for (std::size_t first = 0; first < 2; ++first)
    compilers.emplace_back([&folder, first] {
      for (std::size_t part = first; part < kParts; part += 2) compile(folder, part);
    });
  for (auto& t : compilers) t.join();
}

std::string resultOf(const fs::path& folder, const EmulatedCase& c, Prepared& p, void* library,
                     std::size_t number) {
  std::string wrong = p.problem;
  if (wrong.empty() && !library)
    wrong = "its source does not compile: " + partOf(folder, number % kParts, ".log");
  if (wrong.empty()) wrong = runOne(c, p, library, number);
  if (wrong.empty()) return {};
  return c.name + " [" + p.source.text.substr(0, p.source.text.find('\n')) + "]: " + wrong;
}

}  // namespace

std::vector<std::string> runEmulated(const std::vector<EmulatedCase>& cases) {
  static int calls = 0;  // a library is loaded once for each path
  const fs::path folder = fs::path(testing::TempDir()) /
                          ("rowprogram_emulated_" + std::to_string(getpid()) + "_" + std::to_string(calls++));
  fs::create_directories(folder);
  std::vector<Prepared> prepared;
  for (const EmulatedCase& c : cases) prepared.push_back(prepare(c));
  write(folder, cases, prepared);
  compileAll(folder);
  std::vector<std::string> results(cases.size());
  for (std::size_t part = 0; part < kParts; ++part) {
    void* library = dlopen(partOf(folder, part, ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    for (std::size_t i = part; i < cases.size(); i += kParts)
      results[i] = resultOf(folder, cases[i], prepared[i], library, i);
  }
  const bool right = std::all_of(results.begin(), results.end(), [](const auto& r) { return r.empty(); });
  if (right && !std::getenv("KADVISE_KEEP_EMULATED")) fs::remove_all(folder);
  return results;
}

}  // namespace kadvise::rowprogram
