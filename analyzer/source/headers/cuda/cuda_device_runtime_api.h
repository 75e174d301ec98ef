#pragma once
#include <kadvise_cuda.h>
