#include "kernels/rowprogram/kernel.h"
namespace kadvise::rowprogram {
Source emitSplit(const Plan&, const Gpu&) { return {}; }
}
