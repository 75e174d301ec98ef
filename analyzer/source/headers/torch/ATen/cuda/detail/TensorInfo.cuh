#pragma once
#include <kadvise_torch/tensor_info.h>
