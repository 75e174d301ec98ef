// The ways a program can run on a GPU, and the choice among them.
#pragma once

#include "kernels/rowprogram/problem.h"

#include <optional>

namespace kadvise::rowprogram {

enum class Form : std::uint8_t {
  Flat,     // F: no reductions; vectors of 16 bytes, several in flight for each thread
  Lanes,    // A: a few lanes of a warp share a row, which lies in registers
  Block,    // B: a block has a row, in registers
  Shared,   // S: a block has a row, in shared memory
  Cluster,  // C: a cluster of blocks has a row, in distributed shared memory (sm_90 and later)
  Split,    // D: parts of a row, merged by a second kernel
  Columns,  // E: the dimension that is contiguous in memory is not reduced: threads walk along the reduced
            // one
  Tiles,    // T: no reductions, and operands that lie along another dimension than the outputs: a tile of
            // those goes through shared memory
};

struct Schedule {
  Form form = Form::Flat;
  int threads = 32;  // that share a row (Flat: of a block)
  int vectors = 1;   // of 16 bytes for each thread
  int width = 0;     // elements of a vector; 0: of 16 bytes. 1: Lanes and Block, for ragged rows
  int block = 128;   // threads of a block
  int parts = 1;     // Split: of a row; Cluster: blocks of a cluster; Columns: of the reduced dimension
  int blocks = 0;    // Block: of an SM at least; what all rows read alike is then read where it is used, so
                     // that it takes no registers before. 0: as many as there come to be
  bool persistent = false;  // a grid of a few blocks for each SM that loops over rows
  bool generic =
      false;  // sizes and strides are numbers of the call: one text for all columns up to its capacity
};

std::string toText(const Schedule&);  // "lanes/t8/k2/b128", "block/t256/k4/b256/persistent"
std::optional<Schedule> scheduleOf(const std::string& text);

// What a GPU has, by architecture, with what is asked of the device itself filled in.
struct Gpu {
  int arch = 90;  // 80, 86, 89, 90, 100, 120
  int sms = 132;
  int threadsPerSm = 2048;
  int sharedBytesPerBlock = 232448;  // the most a block may have
  double bytesPerSecond = 4.3e12;    // of a copy kernel, reads and writes together
  std::int64_t l2Bytes = 50 << 20;
  int bytesInFlightPerSm = 48 << 10;  // that saturate memory
  bool clusters = true;
};

constexpr std::size_t kMostCandidates = 8;  // of one problem, each of which may be compiled and timed

// Those worth trying, at most kMostCandidates, the likely best first; never empty for a problem that the
// generator serves, empty for one that it does not (then `whyNot` has the reason).
std::vector<Schedule> schedulesFor(const Problem&, const Gpu&, std::string* whyNot = nullptr);

// One whose text is the same for all sizes of about this one (rows of up to the next power of two): for
// programs that are called with ever other sizes. Nothing where no form has such a text.
std::optional<Schedule> genericFor(const Problem&, const Gpu&);

// Whether a schedule can run a problem at all: its rows fit, its form computes what the program says.
bool runs(const Schedule&, const Problem&, const Gpu&);

}  // namespace kadvise::rowprogram
