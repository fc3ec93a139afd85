/**
 * Keys of characters that readline (and Ruby's Reline) does not insert, by the init file of its user: macros, and other commands. A macro may
 * end a line, which no echo can show in time, so a text with such a key is not typed at all.
 */

/** One or more characters, and what they do instead. */
export interface KeyBinding {
  readonly keys: string;
  readonly action: string;
}

interface Reading {
  /** Of the program, in small letters: `$if` names it. */
  readonly program: string;
  /** The text of an included file; null if there is none. */
  readonly include: (path: string) => string | null;
}

/** Included files within each other. */
const DEPTH_MAX = 8;
/** Keymaps in which no line begins. */
const OTHER_KEYMAP = /^(?:vi|vi-command|vi-move|emacs-meta|emacs-ctlx)$/;
const INSERTS = /^(?:self-insert|magic-space)$/;
const ENDS = /^accept-line$/;
const characters: ReadonlyMap<string, string> = new Map([
  ["space", " "],
  ["spc", " "],
  ["return", "\r"],
  ["ret", "\r"],
  ["newline", "\n"],
  ["lfd", "\n"],
]);
const escaped: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/**
 * The bindings of keys that begin with a character or end a line. Conditions on anything but the program are taken to be met.
 *
 * @example
 * ```ts
 * keyBindings('"(": "\\C-v(\\C-v)\\C-b"', { program: "python", include: () => null }); // [{ keys: "(", action: '"\\C-v(\\C-v)\\C-b"' }]
 * ```
 */
export function keyBindings(text: string, reading: Reading): KeyBinding[] {
  const bindings = new Map<string, string>();
  let isOtherKeymap = false;
  for (const line of linesOf(text, reading, 0)) {
    const [, keymap] = /^set\s+keymap\s+(\S+)/i.exec(line) ?? [];
    if (keymap !== undefined) isOtherKeymap = OTHER_KEYMAP.test(keymap);
    const [, quoted, name = "", action = ""] = /^(?:"((?:\\.|[^"\\])*)"|([^\s:"]+))\s*:\s*(.+)$/.exec(line) ?? [];
    if (isOtherKeymap || action === "") continue;
    const keys = quoted === undefined ? keyNamed(name) : unescaped(quoted);
    if (keys === undefined) continue;
    if (INSERTS.test(action) || (ENDS.test(action) && /^[\r\n]$/.test(keys))) bindings.delete(keys);
    else bindings.set(keys, action);
  }
  return [...bindings].map(([keys, action]) => ({ keys, action }));
}

/** The binding that would act if this were typed; undefined if all of it is inserted. */
export const bindingIn = (typed: string, bindings: readonly KeyBinding[]): KeyBinding | undefined =>
  bindings.find(({ keys }) => typed.includes(keys));

/** The lines that count. */
function linesOf(text: string, reading: Reading, depth: number): string[] {
  const counted: string[] = [];
  const open: { readonly isOpen: boolean; readonly otherwise: boolean }[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const [, word, rest = ""] = /^\$(\w+)\s*(.*)$/.exec(line) ?? [];
    if (word === "if") open.push(condition(rest, reading.program));
    else if (word === "endif") open.pop();
    else if (word === "else") {
      const { otherwise } = open.pop() ?? { otherwise: true };
      open.push({ isOpen: otherwise, otherwise });
    } else if (open.some(({ isOpen }) => !isOpen) || line.startsWith("#")) continue;
    else if (word !== "include") counted.push(line);
    else if (depth < DEPTH_MAX) counted.push(...linesOf(reading.include(rest) ?? "", reading, depth + 1));
  }
  return counted;
}

function condition(test: string, program: string): { readonly isOpen: boolean; readonly otherwise: boolean } {
  if (!/^[\w.+-]+$/.test(test)) return { isOpen: true, otherwise: true };
  const isNamed = program.startsWith(test.toLowerCase());
  return { isOpen: isNamed, otherwise: !isNamed };
}

/** Undefined for keys with Control and Meta. */
function keyNamed(name: string): string | undefined {
  const control = /^(?:control-|c-)([jm])$/i.exec(name)?.[1]?.toLowerCase();
  if (control !== undefined) return control === "j" ? "\n" : "\r";
  return characters.get(name.toLowerCase()) ?? (/^[^\p{Cc}]$/u.test(name) ? name : undefined);
}

/** Undefined for sequences that begin with another key than that of a character. */
function unescaped(quoted: string): string | undefined {
  let isKnown = true;
  const keys = quoted.replaceAll(/\\(C-[jm]|[CM]-|[0-7]{1,3}|x[\da-f]{1,2}|.)/gi, (_, escape: string) => {
    if (/^C-[jm]$/i.test(escape)) return /j$/i.test(escape) ? "\n" : "\r";
    if (/^(?:[CM]-|[eabdfv]$)/i.test(escape)) isKnown = false;
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
    if (/^x./i.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return escaped.get(escape) ?? escape;
  });
  return isKnown && /^[^\p{Cc}]|^[\r\n]/u.test(keys) ? keys : undefined;
}
