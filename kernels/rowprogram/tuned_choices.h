// What earlier timings chose, in this process and, by files, in earlier ones.
#pragma once

#include "kernels/rowprogram/gpu.h"
#include "kernels/rowprogram/problem.h"

#include <optional>
#include <string>

namespace kadvise::rowprogram {

// Problems that are timed once for all: the same program on the same kind of GPU, layouts alike, and sizes
// that differ by less than a quarter. Sequences of ever new lengths are so tuned a few times only.
std::string shapeClass(const Problem&, const NamedGpu&);

// The schedule's text.
std::optional<std::string> tunedChoice(const std::string& shapeClass);
void keepTunedChoice(const std::string& shapeClass, const std::string& schedule);

// Bytes that a call reads and writes, each once.
double trafficBytes(const Problem&);

}  // namespace kadvise::rowprogram
