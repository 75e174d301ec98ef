// What the editor can do about the findings at a place.
#pragma once

#include <string>
#include <vector>

#include "analyzer/lsp/document.h"
#include "analyzer/lsp/settings.h"
#include "analyzer/lsp/shown.h"

namespace kadvise::lsp {

struct ActionRequest {
  const Document& document;
  const Settings& settings;
  const Catalogue& book;
  const ClientCan& can;
  FileTexts& others;
  const std::vector<Shown>& shown;  // all of the document
  Range range;
  std::vector<std::string> only;  // kinds; empty: all
};

Json actionsFor(const ActionRequest&);

// All safe fixes together, as the edits of a document; empty where there are none.
Json fixAllEdits(const Document&);
// The edits that an action with this `data` stands for.
Json resolvedEdits(const Document&, const Json& data);
Json workspaceEdit(const Document&, const ClientCan&, Json edits);

}  // namespace kadvise::lsp
