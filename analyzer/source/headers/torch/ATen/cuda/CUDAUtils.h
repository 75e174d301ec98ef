#pragma once
#include <kadvise_torch.h>
