#include "reports/run_timing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kadvise {
namespace {

const std::vector<double>* samplesOf(const Measurement& m) {
  for (auto& t : m.timings)
    if (t.regime == "warm" && !t.wallUs.empty()) return &t.wallUs;
  for (auto& t : m.timings)
    if (!t.wallUs.empty()) return &t.wallUs;
  return nullptr;
}

std::vector<KernelTime> listed(const std::map<std::string, KernelTime>& byName) {
  std::vector<KernelTime> out;
  for (auto& [name, k] : byName) out.push_back({name, k.us, k.launches});
  return out;
}

}  // namespace

Interval medianInterval(const Measurement& m) {
  auto* samples = samplesOf(m);
  if (!samples) return {};
  auto us = *samples;
  std::sort(us.begin(), us.end());
  double n = static_cast<double>(us.size()), half = 0.98 * std::sqrt(n);  // 1.96 sqrt(n) / 2 ranks
  auto at = [&](double rank) { return us[static_cast<std::size_t>(std::clamp(rank, 0.0, n - 1))]; };
  double middle = (at(std::floor((n - 1) / 2)) + at(std::ceil((n - 1) / 2))) / 2;
  return {at(std::floor(n / 2 - half)), middle, at(std::ceil(n / 2 + half))};
}

bool isClearlyAbove(const Interval& b, const Interval& a) {
  bool isTimed = a.mid > 0 && b.mid > 0 && std::isfinite(a.mid) && std::isfinite(b.mid);
  return isTimed && b.low > a.high && b.mid > (1 + kLeastChange) * a.mid;
}

std::vector<KernelTime> kernelTimes(const Report& r) {
  std::map<std::string, KernelTime> byName;
  for (auto& k : r.whole.after.kernels) {
    auto& row = byName[k.name];
    row.us += k.durationUs, ++row.launches;
  }
  if (r.profile && !r.profile->views.empty())
    for (auto& k : r.profile->views.front().kernels) {
      auto& row = byName[k.name];
      row.us += k.us, row.launches += k.launches;
    }
  return listed(byName);
}

}  // namespace kadvise
