#include "profiler/error_words.h"

#include <cmath>
#include <cstdio>

namespace kadvise {
namespace {

std::string ulpText(double ulp) {
  char text[32];
  std::snprintf(text, sizeof text, ulp < 10 ? "%.2g" : ulp < 1e6 ? "%.0f" : "%.3g", ulp);
  return text;
}

}  // namespace

std::string errorText(const Errors& candidate, const Errors* original, const std::string& name) {
  std::string out = "max error " + ulpText(candidate.maxUlp) + " ulp, rms " + ulpText(candidate.rmsUlp);
  if (original)
    out += " where " + name + " has " + ulpText(original->maxUlp) + " and " + ulpText(original->rmsUlp);
  if (std::abs(candidate.scale - 1) > 0.01) {
    char text[48];
    std::snprintf(text, sizeof text, "; scaled by %.4g", candidate.scale);
    out += text;
  }
  return out;
}

std::string beyondText(Beyond beyond, const Errors& candidate, const Errors* original,
                       const std::string& name) {
  std::string out = errorText(candidate, original, name);
  if (beyond == Beyond::P999)
    out += "; 99.9th percentile " + ulpText(candidate.p999Ulp) +
           (original ? " where it has " + ulpText(original->p999Ulp) : "");
  if (beyond == Beyond::Scale) out += "; by a factor that rounding does not explain";
  if (beyond == Beyond::Bias) out += "; all to one side, which rounding does not explain";
  return out;
}

}  // namespace kadvise
