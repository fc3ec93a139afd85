/**
 * Keys of characters that readline (and Ruby's Reline) does not insert, by the init file of its user: macros, and other commands. A macro may
 * end a line, which no echo can show in time, so such a key is never typed by itself.
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
/** What these keys do without a binding. */
const usual: ReadonlyMap<string, string> = new Map([
  ["\r", "accept-line"],
  ["\n", "accept-line"],
  ["\u0016", "quoted-insert"],
]);
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
 * The bindings of keys that begin with a character, with Ctrl-V or the end of a line. Conditions on anything but the program are taken to be met.
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
    if (INSERTS.test(action) || usual.get(keys) === action) bindings.delete(keys);
    else bindings.set(keys, action);
  }
  return [...bindings].map(([keys, action]) => ({ keys, action }));
}

/** Programs with the line editor of Ruby. */
const RELINE = /^(?:irb|ruby|pry|rails)/;
/** Ctrl-V: the next key is inserted, whatever it is bound to. */
const QUOTED_INSERT = "\u0016";

/**
 * What is typed for a line: in front of each key that begins a bound one stands Ctrl-V. Returns the binding that stands against it: of the key that
 * enters the line, of Ctrl-V itself, or any in the line for Reline, whose macros act behind Ctrl-V as well.
 *
 * @example
 * ```ts
 * quotedKeys("f(1)", { program: "python3", enter: "\n", bindings: [{ keys: "(", action: '"()"' }] }); // "f\u0016(1)"
 * ```
 */
export function quotedKeys(
  line: string,
  {
    program,
    enter,
    bindings,
  }: { readonly program: string; readonly enter: string; readonly bindings: readonly KeyBinding[] },
): string | KeyBinding {
  const bound = bindings.filter(({ keys }) => line.includes(keys));
  if (bound[0] !== undefined && RELINE.test(program)) return bound[0];
  const firsts = new Set(bound.map(({ keys }) => keys[0]));
  const needed = firsts.size === 0 ? enter : enter + QUOTED_INSERT;
  const against = bindings.find(({ keys }) => needed.includes(keys));
  if (against !== undefined || firsts.size === 0) return against ?? line;
  return Array.from(line, (key) => (firsts.has(key[0]) ? QUOTED_INSERT + key : key)).join("");
}

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
  const control = /^(?:control-|c-)([jmv])$/i.exec(name)?.[1];
  if (control !== undefined) return controlOf(control);
  return characters.get(name.toLowerCase()) ?? (/^[^\p{Cc}]$/u.test(name) ? name : undefined);
}

const controlOf = (letter: string): string => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 0x40);

/** Undefined for sequences that begin with another key than that of a character. */
function unescaped(quoted: string): string | undefined {
  let isKnown = true;
  const keys = quoted.replaceAll(/\\(C-[jmv]|[CM]-|[0-7]{1,3}|x[\da-f]{1,2}|.)/gi, (_, escape: string) => {
    if (/^C-[jmv]$/i.test(escape)) return controlOf(escape.slice(-1));
    if (/^(?:[CM]-|[eabdfv]$)/i.test(escape)) isKnown = false;
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8));
    if (/^x./i.test(escape)) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return escaped.get(escape) ?? escape;
  });
  return isKnown && /^[^\p{Cc}]|^[\r\n\u0016]/u.test(keys) ? keys : undefined;
}
