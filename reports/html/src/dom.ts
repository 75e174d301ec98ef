// Elements made from values. Text is only ever set as text: nothing of a report is read as markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;

const kSvg = "http://www.w3.org/2000/svg";

function filled<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return filled(document.createElementNS(kSvg, tag) as SVGElement, attributes, children);
}

// A bar of a share, in [0, 1]. The policy of the page forbids style attributes, so the width is set here.
// A path that breaks behind its dots and slashes, where it has to.
export function breakable(path: string): Node[] {
  const pieces = path.match(/[^./_:]*[./_:]?/g) ?? [];
  return pieces.flatMap((piece, i) => [...(i ? [h("wbr")] : []), document.createTextNode(piece)]);
}

export function bar(share: number, look = ""): HTMLElement {
  const inner = h("span", {class: `bar-fill ${look}`});
  inner.style.width = `${(100 * Math.min(1, Math.max(0, share || 0))).toFixed(2)}%`;
  return h("span", {class: "bar", "aria-hidden": "true"}, inner);
}

export function copyButton(text: string): HTMLElement {
  const button = h(
    "button",
    {
      type: "button",
      class: "copy",
      click: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Select it by hand";
        }
        setTimeout(() => (button.textContent = "Copy"), 1500);
      },
    },
    "Copy",
  );
  return button;
}

export const command = (text: string) =>
  h("div", {class: "command"}, h("code", {tabindex: "0"}, text), copyButton(text));

// A drawing that fits its width: scaled letters would be too small to read on a phone.
export function fitted(draw: (width: number) => SVGElement): HTMLElement {
  const box = h("div", {class: "fitted"});
  let drawn = 0;
  const update = () => {
    const width = Math.round(box.clientWidth);
    if (!width || width === drawn) return;
    drawn = width;
    box.replaceChildren(draw(width));
  };
  new ResizeObserver(update).observe(box);
  return box;
}
