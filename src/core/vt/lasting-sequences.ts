/**
 * Sequences that reach the terminal of a viewer and whose effect lasts, with what puts the terminal back; `dec-modes.ts` is the same for DEC
 * private modes. What is in neither table has to leave nothing on.
 */
export interface LastingChange {
  /** What is changed: a later sequence with the same key takes its place. */
  readonly key: string;
  /** What puts it back; null if the sequence has done that. */
  readonly undo: string | null;
}

export interface LastingSequence {
  /** Of a control sequence: prefix, intermediate bytes and final byte. */
  readonly name: string;
  /** What it changes: what a terminal draws, or what it sends. */
  readonly affects: "drawing" | "input";
  /** Parameters that change something. */
  readonly example: string;
  readonly change: (parameters: string) => LastingChange;
}

const CSI = "\u001b[";

/** Keys of xterm's `CSI > Ps m`, `n` and `f`: one resource each, which the sequence without a value puts back. */
const keyResource = (final: "m" | "f", isReset: (value: string) => boolean) => (parameters: string) => {
  const [resource = "", value = ""] = parameters.split(";");
  return { key: `>${resource}${final}`, undo: isReset(value) ? null : `${CSI}>${resource}${final}` };
};

const one = (key: string, undo: string, isReset: (parameters: string) => boolean) => (parameters: string) => ({
  key,
  undo: isReset(parameters) ? null : undo,
});

const isNoValue = (value: string): boolean => value === "" || value === "0";

/** Setting the region moves the cursor. */
const REGION_UNDO = `\u001b7${CSI}r\u001b8`;

export const lastingControlSequences: readonly LastingSequence[] = [
  { name: "r", affects: "drawing", example: "2;20", change: one("region", REGION_UNDO, (text) => text === "") },
  { name: " q", affects: "drawing", example: "5", change: one("cursor shape", `${CSI}0 q`, isNoValue) },
  { name: '"q', affects: "drawing", example: "1", change: one("protection", `${CSI}0"q`, (text) => text !== "1") },
  { name: "g", affects: "drawing", example: "3", change: one("tab stops", `${CSI}?5W`, () => false) },
  { name: ">m", affects: "input", example: "4;2", change: keyResource("m", isNoValue) },
  { name: ">n", affects: "input", example: "2", change: keyResource("m", () => false) },
  { name: ">f", affects: "input", example: "4;1", change: keyResource("f", isNoValue) },
];

/** Kitty's keyboard protocol; `ChangedModes` has a stack of it for each screen. */
export const KEYBOARD_SEQUENCES = [">u", "<u", "=u"] as const;

/** ANSI modes: insert, and a new line for each line feed. */
export const ANSI_MODES: readonly number[] = [4, 20];

/** The texts after ESC that change something that lasts, with an example for each. */
export const lastingEscapes: readonly (Omit<LastingSequence, "name"> & { readonly form: RegExp })[] = [
  {
    form: /^[()*+\-./][%"&]?[0-9A-Za-z<=>`]$/,
    affects: "drawing",
    example: "(0",
    change: (body) => {
      const set = designated[body[0] ?? ""] ?? "(";
      return { key: `character set ${set}`, undo: body === `${set}B` ? null : `\u001b${set}B` };
    },
  },
  { form: /^[no]$/, affects: "drawing", example: "n", change: one("shift", "\u000f", () => false) },
  { form: /^[|}~]$/, affects: "drawing", example: "~", change: one("right shift", "\u001b}", (body) => body === "}") },
  { form: /^H$/, affects: "drawing", example: "H", change: one("tab stops", `${CSI}?5W`, () => false) },
  { form: /^[=>]$/, affects: "input", example: "=", change: one("keypad", "\u001b>", (body) => body === ">") },
];

/** Sets of 96 characters have openers of their own. */
const designated: Readonly<Record<string, string>> = {
  "(": "(",
  ")": ")",
  "*": "*",
  "+": "+",
  "-": ")",
  ".": "*",
  "/": "+",
};

/** Commands for colours, of the palette, text, background, cursor, mouse pointer and selection; 100 more puts them back. */
export const COLOUR_COMMANDS: readonly number[] = [4, 10, 11, 12, 13, 14, 17, 19];
export const COLOUR_RESET = 100;

/** The change of an operating system command: colours, an open link, progress. */
export function commandChange(body: string): LastingChange | undefined {
  const [, number = "", rest = ""] = /^(\d{1,4})(?:;(.*))?$/s.exec(body) ?? [];
  const command = Number(number);
  if (command === 8) return { key: "link", undo: /;./s.test(rest) ? "\u001b]8;;\u001b\\" : null };
  if (command === 9) return { key: "progress", undo: /^4;[1-4]/.test(rest) ? "\u001b]9;4;0\u001b\\" : null };
  if (COLOUR_COMMANDS.includes(command))
    return { key: `colour ${command}`, undo: `\u001b]${command + COLOUR_RESET}\u001b\\` };
  const isReset = COLOUR_COMMANDS.includes(command - COLOUR_RESET);
  // One colour of the palette that is put back says nothing of the others.
  return isReset && rest === "" ? { key: `colour ${command - COLOUR_RESET}`, undo: null } : undefined;
}
