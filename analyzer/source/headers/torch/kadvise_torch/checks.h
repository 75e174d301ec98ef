// Macros that check, and that registrations are made with.
#pragma once
#include <kadvise_torch/extension.h>

#define C10_HOST_DEVICE KA_THD
#define C10_DEVICE __attribute__((device))
#define C10_LAUNCH_BOUNDS_1(n) __attribute__((launch_bounds(n)))
#define C10_LAUNCH_BOUNDS_2(n, b) __attribute__((launch_bounds(n, b)))
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define C10_UNLIKELY(x) (__builtin_expect(static_cast<bool>(x), 0))
#define C10_LIKELY(x) (__builtin_expect(static_cast<bool>(x), 1))
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_NOINLINE __attribute__((noinline))
#define C10_UNUSED __attribute__((unused))
#define C10_NODISCARD [[nodiscard]]
#define TORCH_CHECK(cond, ...) if (C10_UNLIKELY(!(cond))) { ::c10::detail::torchCheckFail(__func__, __FILE__, \
  __LINE__, ::c10::detail::str("" __VA_OPT__(, ) __VA_ARGS__)); }
#define TORCH_INTERNAL_ASSERT(cond, ...) TORCH_CHECK(cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_TYPE TORCH_CHECK
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define TORCH_WARN(...) ((void)::c10::detail::str(__VA_ARGS__))
#define TORCH_CHECK_EQ(a, b, ...) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b, ...) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b, ...) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b, ...) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b, ...) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b, ...) TORCH_CHECK((a) >= (b))
#define TORCH_WARN_ONCE TORCH_WARN
#define AT_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond, __VA_ARGS__)
#define AT_CHECK(cond, ...) TORCH_CHECK(cond, __VA_ARGS__)
#define AT_ERROR(...) TORCH_CHECK(false, __VA_ARGS__)
#define C10_CUDA_CHECK(e) do { const cudaError_t ka_e = (e); ::c10::cuda::c10_cuda_check_implementation((int)ka_e, \
  __FILE__, __func__, __LINE__, true); } while (0)
#define AT_CUDA_CHECK(e) C10_CUDA_CHECK(e)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDABLAS_CHECK(e) ((void)(e))
#define CUDA_KERNEL_ASSERT(cond) if (C10_UNLIKELY(!(cond))) { __builtin_trap(); }
#define CUDA_KERNEL_ASSERT_MSG(cond, ...) CUDA_KERNEL_ASSERT(cond)
#define CUDA_KERNEL_ASSERT_PRINTF(cond, ...) CUDA_KERNEL_ASSERT(cond)
#define CUDA_KERNEL_ASSERT2(cond) CUDA_KERNEL_ASSERT(cond)
#define TORCH_DSA_KERNEL_ARGS ::c10::cuda::DeviceAssertionsData *const assertions_data, uint32_t assertion_caller_id
#define TORCH_DSA_KERNEL_ARGS_PASS assertions_data, assertion_caller_id
#define TORCH_DSA_KERNEL_LAUNCH(kernel, blocks, threads, bytes, stream, ...) do { \
  kernel<<<blocks, threads, bytes, stream>>>(__VA_ARGS__, nullptr, 0); C10_CUDA_KERNEL_LAUNCH_CHECK(); } while (0)
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) \
  int64_t _i_n_d_e_x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; \
  for (T i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define KA_CAT2(a, b) a##b
#define KA_CAT(a, b) KA_CAT2(a, b)
#define TORCH_LIBRARY(ns, m) static void KA_CAT(ka_lib_##ns##_, __LINE__)(::torch::Library &m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY(ns, m)
#define TORCH_LIBRARY_IMPL(ns, k, m) static void KA_CAT(ka_impl_##ns##_##k##_, __LINE__)(::torch::Library &m)
#define TORCH_FN(f) f
#define TORCH_EXTENSION_NAME ka_ext
#define PYBIND11_MODULE(name, m, ...) static void KA_CAT(ka_py_, __LINE__)(::pybind11::module_ &m)
