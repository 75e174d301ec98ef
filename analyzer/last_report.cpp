#include "analyzer/last_report.h"

#include <filesystem>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise {
namespace fs = std::filesystem;

fs::path keptFolder() {
  fs::path folder = ".kadvise";
  std::error_code ec;
  fs::create_directory(folder, ec);
  if (ec) throw Error(folder.string(), "cannot be made: " + ec.message());
  if (!fs::exists(folder / ".gitignore", ec)) writeFile(folder / ".gitignore", "*\n");
  return folder;
}

void keepLastReport(const Report& report) { writeFile(keptFolder() / "last.json", toText(report)); }

}  // namespace kadvise
