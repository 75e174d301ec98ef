#pragma once
#include <nvtx3/nvToolsExtCuda.h>
