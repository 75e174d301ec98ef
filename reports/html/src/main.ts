// The page: what is in the file decides which one it is.
import {type Data, readData} from "./data";
import {h} from "./dom";
import {draw, type Page} from "./frame";
import {type LintData} from "./lint_data";
import {lintParts, revealRule} from "./lint_page";
import {moduleParts} from "./module_page";
import "./style.css";
import {restoreTheme} from "./theme";

function modulePage(data: Data): Page {
  const {subject: s, tool} = data.report;
  const facts = [s.format, s.nodes ? `${s.nodes} nodes` : "", s.parameters ? `${s.parameters} parameters` : ""];
  return {
    title: s.path || "report",
    facts: facts.filter(Boolean).join(", "),
    version: tool.version,
    ...moduleParts(data),
  };
}

function lintPage(data: LintData): Page {
  return {
    title: "Lint",
    facts: data.view.headline,
    version: data.lint.tool.version,
    reveal: revealRule,
    ...lintParts(data),
  };
}

restoreTheme();
const page = document.getElementById("page")!;
try {
  const data = readData();
  draw(page, "lint" in data ? lintPage(data) : modulePage(data));
} catch (error) {
  page.replaceChildren(h("main", {}, h("h1", {}, "This report cannot be shown"), h("p", {}, String(error))));
}
