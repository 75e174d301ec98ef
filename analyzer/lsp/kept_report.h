// A run that measures one rule of a report leaves its own as the folder's last one. The report of the whole
// module is put back then, and the new one stands beside it.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise::lsp {

class KeptReport {
 public:
  // Copies the report into the folder; without a report there is nothing to put back.
  KeptReport(std::filesystem::path report, const std::filesystem::path& folder);
  ~KeptReport();
  KeptReport(const KeptReport&) = delete;
  KeptReport& operator=(const KeptReport&) = delete;

  // Where the new report is now; "" when none was written.
  std::filesystem::path putBack();

 private:
  std::filesystem::path report_, copy_;
  std::string stamp_;
  std::filesystem::file_time_type time_;
};

}  // namespace kadvise::lsp
