// What the files of a run say of each other, from the record of each.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/source_record.h"

namespace kadvise {

struct RecordedFile {
  std::string path;  // as the user named it
  SourceRecord record;
};

// For each of the files, in their order. A launch or a call belongs to the definition in the file whose
// declaration it saw; else to that of the file that lies nearest to it, to all of several equally near.
std::vector<Surroundings> surroundingsOf(const std::vector<RecordedFile>&);

}  // namespace kadvise
