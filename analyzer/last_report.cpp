#include "analyzer/last_report.h"

#include <filesystem>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFolder = ".kadvise";
constexpr const char* kName = "last.json";
constexpr const char* kPreviousName = "previous.json";

// It came to comparing: it did not fail before, and was not told to leave them out.
bool hasMeasured(const Report& report) { return !report.verdicts.empty(); }

bool holdsMeasured(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) return false;
  try {
    return hasMeasured(readReport(path.string()));
  } catch (const Error&) {
    return false;  // of another version, or no report at all
  }
}

}  // namespace

fs::path keptFolder() {
  fs::path folder = kFolder;
  std::error_code ec;
  // A folder that others have made may hold one, and through it a run would write anywhere.
  if (fs::is_symlink(folder, ec))
    throw Error(folder.string(), "is a link, and nothing is kept where it points to; remove it");
  fs::create_directory(folder, ec);
  if (ec) throw Error(folder.string(), "cannot be made: " + ec.message());
  if (!fs::exists(folder / ".gitignore", ec)) writeFile(folder / ".gitignore", "*\n");
  return folder;
}

std::optional<Report> lastReportOf(const fs::path& module) {
  std::error_code ec;
  fs::path path = fs::path(kFolder) / kName;
  auto kept = fs::last_write_time(path, ec);
  if (ec || fs::last_write_time(module, ec) > kept || ec) return std::nullopt;
  try {
    Report report = readReport(path.string());
    if (fs::equivalent(report.subject.path, module, ec)) return report;
  } catch (const Error&) {
    // Of another version, or no report at all: there is nothing to quote.
  }
  return std::nullopt;
}

bool keepLastReport(const Report& report) {
  fs::path path = keptFolder() / kName;
  if (!hasMeasured(report) && holdsMeasured(path)) return false;
  std::error_code ec;
  // A link or a pipe would lead the reports elsewhere.
  const fs::path previous = path.parent_path() / kPreviousName;
  for (auto& file : {path, previous})
    if (!fs::is_regular_file(fs::symlink_status(file, ec))) fs::remove(file, ec);
  try {
    if (fs::exists(path, ec)) copyFile(path, previous);
  } catch (const Error&) {
    // The next run has none to be compared with but this one.
  }
  writeFile(path, toText(report));
  return true;
}

}  // namespace kadvise
