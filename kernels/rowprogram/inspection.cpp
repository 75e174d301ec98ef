#include "kernels/rowprogram/inspection.h"

#include "kernels/kernels.h"

namespace kadvise::rowprogram {

std::string& askedSchedule() {
  thread_local std::string asked;
  return asked;
}

std::string& lastSchedule() {
  thread_local std::string last;
  return last;
}

}  // namespace kadvise::rowprogram

void kadvise_row_program_ask(const char* schedule) {
  kadvise::rowprogram::askedSchedule() = schedule != nullptr ? schedule : "";
}

const char* kadvise_row_program_ran() { return kadvise::rowprogram::lastSchedule().c_str(); }
