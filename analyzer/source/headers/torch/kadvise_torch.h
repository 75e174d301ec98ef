// LibTorch without LibTorch: names, namespaces and macros that rules look at, as declarations alone.
#pragma once
#include <kadvise_torch/dispatch.h>
