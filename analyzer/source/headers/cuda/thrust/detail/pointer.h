#pragma once
#include <kadvise/thrust.h>
