/** The version of this package. */
import { readFileSync } from "node:fs";

/** Read and not imported: the file lies outside of what is compiled, at the same distance from `src` and `dist`. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { readonly version?: unknown }).version);
}
