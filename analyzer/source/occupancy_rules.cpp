#include "analyzer/source/occupancy_rules.h"

#include <algorithm>

#include "analyzer/source/addresses.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// Of one multiprocessor, by the tables of the programming guide.
struct Multiprocessor {
  int arch;
  std::int64_t sharedBytes, warps, reservedOfBlock;
};
constexpr Multiprocessor kMultiprocessors[] = {
    {70, 96 << 10, 64, 0},     {75, 64 << 10, 32, 0},      {80, 164 << 10, 64, 1024},
    {86, 100 << 10, 48, 1024}, {87, 164 << 10, 48, 1024},  {89, 100 << 10, 48, 1024},
    {90, 228 << 10, 64, 1024}, {100, 228 << 10, 64, 1024}, {120, 100 << 10, 48, 1024},
};
constexpr std::int64_t kLeastShare = 4;  // fewer than a quarter of the warps

const Multiprocessor& multiprocessorOf(int arch) {
  const Multiprocessor* out = &kMultiprocessors[0];
  for (auto& m : kMultiprocessors)
    if (m.arch <= arch) out = &m;
  return *out;
}

class SharedArrays : public Visitor {
 public:
  explicit SharedArrays(const Unit& unit) : unit_(unit) {}
  bool VisitVarDecl(clang::VarDecl* v) override {
    bool isStatic = v->hasAttr<clang::CUDASharedAttr>() && v->getStorageClass() != clang::SC_Extern;
    if (!isStatic) return true;
    bool isKnown =
        !v->getType()->isDependentType() && !v->getType()->isIncompleteType() && !v->isInvalidDecl();
    if (isKnown) bytes += bytesOf(unit_, v->getType());
    else isOpen = true;
    if (!first) first = v;
    return true;
  }
  std::int64_t bytes = 0;
  bool isOpen = false;  // a template leaves a size open
  const clang::VarDecl* first = nullptr;

 private:
  const Unit& unit_;
};

}  // namespace

void sharedMemoryLimitsOccupancy(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  auto& m = multiprocessorOf(unit.arch);
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    SharedArrays arrays(unit);
    arrays.TraverseStmt(kernel->getBody());
    if (arrays.isOpen) continue;
    for (auto& l : analyses.launchesOf(*kernel)) {
      auto threads = product(l.block), blocks = product(l.grid);
      if (!threads || !l.sharedBytes || *threads > kMostThreadsOfBlock || (blocks && *blocks == 1)) continue;
      std::int64_t bytes = arrays.bytes + *l.sharedBytes;
      std::int64_t resident = bytes > 0 ? m.sharedBytes / (bytes + m.reservedOfBlock) : m.warps;
      std::int64_t warps = resident * ((*threads + 31) / 32);
      if (resident == 0 || warps * kLeastShare >= m.warps) continue;
      Site site;
      site.range = arrays.first ? arrays.first->getSourceRange() : kernel->getNameInfo().getSourceRange();
      site.function = kernel;
      site.message = std::to_string(bytes) + " bytes of shared memory for a block of " +
                     std::to_string(*threads) + " threads leave room for " + std::to_string(warps) + " of " +
                     std::to_string(m.warps) + " warps on a multiprocessor of sm_" +
                     std::to_string(unit.arch);
      site.related.push_back(l.where);
      site.related.back().note = "the launch";
      findings.add(page, std::move(site));
      break;
    }
  }
}

void missingLaunchBounds(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* kernel : analyses.unit().deviceFunctions) {
    if (!isKernel(*kernel) || kernel->hasAttr<clang::CUDALaunchBoundsAttr>()) continue;
    auto& launches = analyses.launchesOf(*kernel);
    std::optional<std::int64_t> threads = launches.empty() ? std::nullopt : product(launches[0].block);
    bool agree = threads && std::all_of(launches.begin(), launches.end(),
                                        [&](auto& l) { return product(l.block) == threads; });
    if (!agree || *threads > kMostThreadsOfBlock) continue;
    Site site;
    site.range = kernel->getNameInfo().getSourceRange();
    site.function = kernel;
    site.message = "every launch has " + std::to_string(*threads) + " threads a block; __launch_bounds__(" +
                   std::to_string(*threads) + ") lets the compiler count on it";
    site.related.push_back(launches[0].where);
    site.related.back().note = "the launch";
    findings.add(page, std::move(site));
  }
}

}  // namespace kadvise::source
