// Dark and light: the system's until the reader chooses.

const kKey = "kadvise-theme";
const listeners: (() => void)[] = [];

export const onTheme = (redraw: () => void) => void listeners.push(redraw);

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function stored(): string | null {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null; // a page from disk may have no storage
  }
}

export function useTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // It holds until the page is closed.
  }
  listeners.forEach((redraw) => redraw());
}

export const toggleTheme = () => useTheme(isDark() ? "light" : "dark");

export function restoreTheme(): void {
  const theme = stored();
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => listeners.forEach((redraw) => redraw()));
}

export const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
