#include "analyzer/lsp/kept_report.h"

#include <system_error>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMeasured = "measured.json";  // one of the default of reports.paths

}  // namespace

KeptReport::KeptReport(fs::path report, const fs::path& folder)
    : report_(std::move(report)), stamp_(stampOf(report_)) {
  if (stamp_.empty()) return;
  std::error_code ec;
  time_ = fs::last_write_time(report_, ec);
  auto copy = folder / "kept.json";
  if (fs::copy_file(report_, copy, fs::copy_options::overwrite_existing, ec)) copy_ = copy;
}

KeptReport::~KeptReport() {
  std::error_code ec;
  if (!copy_.empty()) fs::remove(copy_, ec);
}

fs::path KeptReport::putBack() {
  if (stampOf(report_) == stamp_) return {};
  if (copy_.empty()) return report_;
  fs::path measured = report_.parent_path() / kMeasured;
  std::error_code ec;
  fs::rename(report_, measured, ec);
  if (ec) return report_;
  fs::copy_file(copy_, report_, ec);
  fs::last_write_time(report_, time_, ec);  // it is as old as it was
  return measured;
}

}  // namespace kadvise::lsp
