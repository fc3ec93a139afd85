/** Which files a text names. By form only: whether a file exists is not known here. */

/** Longer words are not readable names. */
const NAME_CHARS_MAX = 256;
const TEXT_CHARS_MAX = 65_536;

/** Endings by which a word without a slash counts as a file; after a slash any ending does. */
const endings: ReadonlySet<string> = new Set(
  (
    "bash c cast cc cfg cjs conf cpp cs css csv diff ex fish go gz h hpp html ini ipynb java jpg js json jsonl jsx kt lock log lua " +
    "md mdx mjs mts patch pdf php pl png proto ps1 py r rb rs rst scala scss sh sql svelte svg swift tar tex toml ts tsv tsx txt vue " +
    "wasm xml yaml yml zig zip zsh"
  ).split(" "),
);
const BREAKS = /[\s"'`<>()[\]{}|;,&=*“”‘’│]+/;
const PLAIN = /^[\w.@+~/-]+$/;
/** Names of things in prose, such as Node.js. */
const PRODUCT = /^[A-Z][a-z]+\.js$/;

/** The names in a text, in order and with repetitions. */
export function filesIn(text: string): string[] {
  return (
    text
      .slice(0, TEXT_CHARS_MAX)
      .split(BREAKS)
      // A truncated name does not count.
      .filter((word) => !word.endsWith("…"))
      .map((word) => word.replace(/^[(:]+/, "").replace(/(?::\d+){0,2}[.:!?]*$/, ""))
      .filter((word) => isFile(word))
  );
}

function isFile(word: string): boolean {
  if (word.length < 3 || word.length > NAME_CHARS_MAX || !PLAIN.test(word) || word.startsWith("-")) return false;
  // A URL without its scheme begins with two slashes.
  if (word.includes("//") || PRODUCT.test(word)) return false;
  const segments = word.split("/").filter((segment) => segment !== "");
  const last = segments.at(-1) ?? "";
  if (!/[A-Za-z]/.test(last)) return false;
  const ending = /^.*[^.]\.([A-Za-z][A-Za-z0-9]{0,7})$/.exec(last)?.[1]?.toLowerCase();
  if (ending !== undefined && (endings.has(ending) || isPlaced(word))) return true;
  if (/^(?:~|\.{1,2})\//.test(word)) return true;
  return word.startsWith("/") && segments.length > 1;
}

/** Has a directory before its name that does not look like a host name. */
function isPlaced(word: string): boolean {
  const slash = word.indexOf("/");
  return slash === 0 || (slash > 0 && !/\.[a-z]{2,}$/i.test(word.slice(0, slash)));
}
