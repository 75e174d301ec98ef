// Figures as the text report writes them.

// What lies halfway, as 6.125 does, goes to the even digit, as it does there.
function digits(x: number, n: number): string {
  const up = x.toExponential(n - 1),
    down = (x * (1 - 2 ** -50)).toExponential(n - 1);
  const isEven = Number(up.split("e")[0].slice(-1)) % 2 === 0;
  return String(Number(up === down || isEven ? up : down));
}

export function us(x: number | null): string {
  if (x === null || !isFinite(x)) return "unknown";
  const size = Math.abs(x);
  if (size >= 1e6) return `${digits(x / 1e6, 3)} s`;
  if (size >= 1e3) return size >= 99.95e3 ? `${(x / 1e3).toFixed(0)} ms` : `${digits(x / 1e3, 3)} ms`;
  if (size >= 99.95) return `${x.toFixed(0)} µs`;
  return `${digits(x, 3)} µs`;
}

export function bytes(x: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(x) >= 1024 && unit < 4) ((x /= 1024), ++unit);
  return Math.abs(x) >= 100 || unit === 0 ? `${x.toFixed(0)} ${units[unit]}` : `${digits(x, 3)} ${units[unit]}`;
}

// "22.4 G"
export function count(x: number): string {
  for (const [size, unit] of [
    [1e15, "P"],
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const)
    if (Math.abs(x) >= size) return `${digits(x / (unit === "k" ? 1e3 : size), 3)} ${unit}`;
  return digits(x, 3);
}

export const percent = (share: number) =>
  share > 0 && share < 0.0005 ? "< 0.1 %" : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
export const factor = (x: number) => `${x.toFixed(2)}x`;
export const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
export const ulp = (x: number | null) => (x === null ? "unknown" : digits(x, 3));

export function place(where: {file: string; line: number; scope: string}): string {
  const line = where.file ? where.file + (where.line ? `:${where.line}` : "") : "";
  return line && where.scope ? `${line} in ${where.scope}` : line || where.scope || "place unknown";
}
