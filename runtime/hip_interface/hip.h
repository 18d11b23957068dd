// HIP's C interface as the rest of this folder sees it: the header of HIP 5, and by hand what came after it. The two
// interfaces agree on types and numbers, but for hipDeviceProp_t and hipMemoryType (devices.cpp, pointers.cpp).
#pragma once
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>
