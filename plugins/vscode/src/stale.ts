// A result that crossed an edit on its way is about a text that is gone; the one for the newer text is coming.

// versionOf: of an open document; undefined where it is not open.
export function isStale(given: object, versionOf: (uri: string) => number | undefined): boolean {
  const message = given as {method?: string; params?: unknown};
  if (message.method !== "textDocument/publishDiagnostics") return false;
  const params = message.params as {uri?: unknown; version?: unknown} | undefined;
  if (typeof params?.uri !== "string" || typeof params.version !== "number") return false;
  const current = versionOf(params.uri);
  return current !== undefined && params.version < current;
}
