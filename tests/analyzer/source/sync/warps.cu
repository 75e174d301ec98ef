// Lanes that work together without a barrier of the block.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// wrong: lanes read their neighbours' words at once
__global__ void rotateNoSync(float* data) {
  __shared__ float s[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = data[threadIdx.x];
  data[threadIdx.x] = s[warp][(lane + 1) % 32];
}

// right: within a warp __syncwarp is enough
__global__ void rotateSyncwarp(float* data) {
  __shared__ float s[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = data[threadIdx.x];
  __syncwarp();
  data[threadIdx.x] = s[warp][(lane + 1) % 32];
}

// wrong: __syncwarp does not wait for the other warps
__global__ void reverseSyncwarp(float* data) {
  __shared__ float s[128];
  s[threadIdx.x] = data[threadIdx.x];
  __syncwarp();
  data[threadIdx.x] = s[127 - threadIdx.x];
}

// wrong: lanes outside of the row do not come to the shuffle
__global__ void shuffleInBoundsCheck(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = in[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0) atomicAdd(out, v);
  }
}

// right: the lanes outside bring a zero
__global__ void shuffleOutsideBoundsCheck(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// right: the mask is of those who come
__global__ void shuffleWithBallot(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    float v = in[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(mask, v, o);
    if (threadIdx.x % 32 == 0) out[i / 32] = v;
  }
}

// wrong: who happens to run together is no mask to wait for
__global__ void activeMaskAsMask(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned mask = __activemask();
    float v = in[i];
    v += __shfl_xor_sync(mask, v, 1);
    out[i] = v;
  }
}

// right: each tile works for itself
__global__ void tileOfSixteen(const float* in, float* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  __shared__ float s[8][16];
  s[threadIdx.x / 16][tile.thread_rank()] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[threadIdx.x / 16][15 - tile.thread_rank()];
}

// wrong: a tile of 16 waits for itself, and reads what the next tile writes
__global__ void tileReadsNext(const float* in, float* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[(threadIdx.x + 64) % 128];
}

// right: the block of cooperative groups
__global__ void blockGroup(const float* in, float* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ float s[128];
  s[block.thread_rank()] = in[block.thread_rank()];
  block.sync();
  out[block.thread_rank()] = s[127 - block.thread_rank()];
}

// wrong: the block waits inside a branch of one warp
__global__ void blockGroupInBranch(const float* in, float* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ float s[128];
  s[block.thread_rank()] = in[block.thread_rank()];
  if (block.thread_rank() < 32) {
    cg::sync(block);
    out[block.thread_rank()] = s[127 - block.thread_rank()];
  }
}

// wrong: the first lanes of a full-mask vote are alone
__global__ void voteOfSome(const int* in, int* out) {
  int lane = threadIdx.x & 31;
  if (lane < 8) {
    int any = __any_sync(0xffffffff, in[threadIdx.x] > 0);
    out[threadIdx.x] = any;
  }
}

void runWarps(const float* in, float* out, const int* flags, int* votes, int n) {
  rotateNoSync<<<1, 128>>>(out);
  rotateSyncwarp<<<1, 128>>>(out);
  reverseSyncwarp<<<1, 128>>>(out);
  shuffleInBoundsCheck<<<n / 128 + 1, 128>>>(in, out, n);
  shuffleOutsideBoundsCheck<<<n / 128 + 1, 128>>>(in, out, n);
  shuffleWithBallot<<<n / 128 + 1, 128>>>(in, out, n);
  activeMaskAsMask<<<n / 128 + 1, 128>>>(in, out, n);
  tileOfSixteen<<<1, 128>>>(in, out);
  tileReadsNext<<<1, 128>>>(in, out);
  blockGroup<<<1, 128>>>(in, out);
  blockGroupInBranch<<<1, 128>>>(in, out);
  voteOfSome<<<1, 128>>>(flags, votes);
}
