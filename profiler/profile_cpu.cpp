#include <algorithm>

#include "profiler/launches.h"
#include "profiler/operators.h"
#include "profiler/profile_view.h"
#include "profiler/statistics.h"
#include "profiler/tables.h"

namespace kadvise {
namespace {

constexpr int kRuns = 7;

struct WatchedCall {
  OperatorSites sites;
  double us = 0;
};

bool isSameSequence(const OperatorSites& a, const OperatorSites& b) {
  return std::equal(a.seen().begin(), a.seen().end(), b.seen().begin(), b.seen().end(),
                    [](const auto& x, const auto& y) {
                      return x.place->op == y.place->op && x.place->where.scope == y.place->where.scope;
                    });
}

// The k-th operator's median over the calls that ran what the first one ran: another process may disturb any
// of them.
std::vector<Spent> spentIn(const std::vector<WatchedCall>& calls) {
  std::vector<const OperatorSites*> alike;
  for (const WatchedCall& c : calls)
    if (isSameSequence(calls.front().sites, c.sites)) alike.push_back(&c.sites);
  std::vector<Spent> out;
  for (std::size_t k = 0; k < alike.front()->seen().size(); ++k) {
    std::vector<double> us;
    for (auto* sites : alike) us.push_back(sites->seen()[k].endUs - sites->seen()[k].startUs);
    out.push_back({median(us), alike.front()->seen()[k].place, nullptr});
  }
  return out;
}

}  // namespace

ViewResult cpuView(ProfiledModule& module, const Values& batch, const WallTime& wall, Pulse& pulse) {
  ViewResult out;
  out.view.basis = "cpu-operators";
  pulse.step("timing operators");
  std::vector<WatchedCall> calls(kRuns);
  std::vector<double> callUs;
  for (WatchedCall& call : calls) {
    call.sites = OperatorSites(module.attributed.marks);
    double start = steadyUs();
    {
      auto watching = call.sites.watch();
      module.attributed.module.forward(batch);
    }
    callUs.push_back(steadyUs() - start);
    pulse.beat("timing operators", double(callUs.size()), kRuns);
  }
  out.view.attribution.emplace();
  out.view.attribution->durations = "attributed";
  if (wall.us.mid > 0) out.view.attribution->overhead = median(callUs) / wall.us.mid - 1;
  addTables(out.view, spentIn(calls));
  out.tracks.push_back(operatorTrack(calls.front().sites));
  return out;
}

}  // namespace kadvise
