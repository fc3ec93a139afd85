/**
 * The marks with which a shell says where it is: OSC 133 (semantic prompts) and OSC 633 (the same letters, and the command line).
 * https://gitlab.freedesktop.org/Per_Bothner/specifications/blob/master/proposals/semantic-prompts.md
 * https://code.visualstudio.com/docs/terminal/shell-integration#_supported-escape-sequences
 *
 * This is the only reader of these sequences. Any program can print one, so each mark says whether the session's shell wrote it.
 */
import type { OscSequence } from "../text/osc-reader.ts";

/**
 * - `prompt-start`, `prompt-end`: the prompt stands between them; at its end the shell reads a command
 * - `continuation`: the shell asks for more of a command that is not complete
 * - `command-line`: the command as the shell understood it (633 only)
 * - `output-start`, `output-end`: the output of a command stands between them; `exitCode` is null where the shell does not say
 * - `act`: the answer of Lectern's own integration to the key with which it is handed command `id` (633 only)
 */
export type ShellMark = MarkOrigin & MarkMeaning;

interface MarkOrigin {
  /** Its number and letter, such as "133;A". The parameters are not for display: one of them is the nonce. */
  readonly code: string;
  /** The session's nonce is one of its parameters. False for what any program can print, and if the session has no nonce. */
  readonly isTrusted: boolean;
}

type MarkMeaning =
  | { readonly type: "prompt-start" | "prompt-end" | "continuation" | "output-start" }
  | { readonly type: "command-line"; readonly text: string }
  | { readonly type: "output-end"; readonly exitCode: number | null }
  | ({ readonly type: "act"; readonly id: string } & ActAnswer);

/**
 * - `taken`: the command is the shell's, and runs
 * - `draft`: a line stands there, which begins with `draft` (at most 256 bytes); it stays, and nothing runs
 * - `skipped`: after `taken`: the shell has read the command and runs nothing, because it is empty, a comment, not valid, or was given up with Ctrl-C
 * - `version`: the integration is of this version, and does not know the way in which the command is given; nothing runs
 * - `more`: the line editor is in the middle of something else, such as the rest of a command; nothing runs
 */
export type ActAnswer = Readonly<
  { answer: "taken" | "skipped" | "more" } | { answer: "draft"; draft: string } | { answer: "version"; version: string }
>;

/** "Nonce": one letter, because bash pays for each at each prompt. */
const KEY = "n";
const plainMarks: Readonly<Record<"A" | "B" | "C", MarkMeaning>> = {
  A: { type: "prompt-start" },
  B: { type: "prompt-end" },
  C: { type: "output-start" },
};

/** What stands in each of our marks. */
export const markParameter = (nonce: string): string => `${KEY}=${nonce}`;

/**
 * The mark that a sequence is, or undefined if it is not a mark. `nonce` is that of the session; null if its shell was not asked for marks.
 */
export function readShellMark({ command, data }: OscSequence, nonce: string | null): ShellMark | undefined {
  if (command !== 133 && command !== 633) return undefined;
  if (data.length > 1 && data[1] !== ";") return undefined;
  const meaning = meaningOf(command, data);
  if (meaning === undefined) return undefined;
  const isTrusted = nonce !== null && hasParameter(data, markParameter(nonce));
  return { ...meaning, code: `${command};${data[0]}`, isTrusted };
}

function meaningOf(command: 133 | 633, data: string): MarkMeaning | undefined {
  switch (data[0]) {
    case "A":
    case "B":
    case "C":
      return plainMarks[data[0]];
    case "D":
      return { type: "output-end", exitCode: exitCodeOf(data.split(";", 2)[1]) };
    case "E":
      return command === 633 ? { type: "command-line", text: unescaped(parametersOf(data)[0] ?? "") } : undefined;
    case "P":
      if (hasParameter(data, "k=s") || hasParameter(data, "k=c")) return { type: "continuation" };
      return command === 633 ? actOf(parametersOf(data)) : undefined;
    default:
      return undefined;
  }
}

const ACT = /^Act=([\w-]{1,32})$/;
const DRAFT = /^(?:[0-9a-f]{2}){0,256}$/;

/** `Act=ID;taken`, `Act=ID;skipped`, `Act=ID;more`, `Act=ID;version;DIGITS` or `Act=ID;draft;HEX`. */
function actOf([act = "", answer, draft = ""]: readonly string[]): MarkMeaning | undefined {
  const id = ACT.exec(act)?.[1];
  if (id === undefined) return undefined;
  if (answer === "taken" || answer === "skipped" || answer === "more") return { type: "act", id, answer };
  if (answer === "version" && /^\d{1,5}$/.test(draft)) return { type: "act", id, answer, version: draft };
  if (answer !== "draft" || !DRAFT.test(draft)) return undefined;
  const bytes = Uint8Array.from(draft.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16));
  return { type: "act", id, answer, draft: new TextDecoder().decode(bytes) };
}

/** What is between semicolons, behind the letter. */
const parametersOf = (data: string): string[] => data.slice(2).split(";");

/** True where `parameter` is one of the parameters: it stands between semicolons. */
function hasParameter(data: string, parameter: string): boolean {
  for (let at = data.indexOf(parameter); at !== -1; at = data.indexOf(parameter, at + 1)) {
    const end = at + parameter.length;
    if (data[at - 1] === ";" && (end === data.length || data[end] === ";")) return true;
  }
  return false;
}

const exitCodeOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : null;

/** 633 escapes `\`, `;` and control characters as `\\` and `\xAB`. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|\\)/g, (_, code: string | undefined) =>
    code === undefined ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
  );
