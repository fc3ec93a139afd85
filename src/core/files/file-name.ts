/** The name that a file from outside gets: safe in a path, in a shell and in the prompt of an agent. */

const CHARS_MAX = 100;
const EXTENSION_CHARS_MAX = 16;

/**
 * Only the last part of a path, with letters, digits, dot, dash and underscore; anything else becomes a dash. Never empty, never hidden, and
 * never an option.
 */
export function safeFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/, "")
    .replace(/[.-]+$/, "");
  if (plain === "") return "file";
  if (plain.length <= CHARS_MAX) return plain;
  const extension = /\.[^.]+$/.exec(plain)?.[0] ?? "";
  const kept = extension.length <= EXTENSION_CHARS_MAX ? extension : "";
  return plain.slice(0, CHARS_MAX - kept.length) + kept;
}

/** `name-2.png` for the second one. */
export function numberedName(name: string, number: number): string {
  if (number === 1) return name;
  const extension = /(?<=.)\.[^.]+$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, name.length - extension.length)}-${number}${extension}`;
}
