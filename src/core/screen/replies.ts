/**
 * Which questions of a program the emulator of a session answers, as data. A question that no rule names is not answered.
 *
 * The rules of thumb: answer what agents wait for at their start (device attributes, cursor position, modes, colours, program
 * status); never answer what would put text of the output into the input (titles, clipboard, unknown requests echoed back); never
 * claim an input encoding that the input side does not speak (kitty keyboard).
 */

/** How a question is recognised. `csi`: `prefix`, `intermediates` and `final` as in ECMA-48 5.4; `osc`: the command number. */
export type TerminalQuestion =
  | {
      readonly kind: "csi";
      readonly prefix?: string;
      readonly intermediates?: string;
      readonly final: string;
      /** The first parameter; any where it is not given. */
      readonly first?: number;
    }
  | { readonly kind: "dcs"; readonly intermediates: string; readonly final: string }
  | { readonly kind: "osc"; readonly command: number; readonly data: string };

/** `emulator`: it knows (position, modes). `fixed`: always `reply`. `silent`: never. */
type Answer =
  | { readonly by: "emulator" }
  | { readonly by: "fixed"; readonly reply: string }
  | { readonly by: "silent" };

export interface ReplyRule {
  readonly name: string;
  readonly question: TerminalQuestion;
  readonly answer: Answer;
  /** An example of the question, as a program writes it. */
  readonly example: string;
}

const emulator: Answer = { by: "emulator" };
const silent: Answer = { by: "silent" };
const fixed = (reply: string): Answer => ({ by: "fixed", reply });

/** In the order of what programs ask most. The first rule that fits decides. */
export const replyRules: readonly ReplyRule[] = [
  {
    name: "primary device attributes (DA1)",
    question: { kind: "csi", final: "c" },
    answer: emulator,
    example: "\u001B[c",
  },
  {
    name: "secondary device attributes (DA2)",
    question: { kind: "csi", prefix: ">", final: "c" },
    answer: emulator,
    example: "\u001B[>c",
  },
  {
    name: "device status (DSR 5) and cursor position (CPR)",
    question: { kind: "csi", final: "n" },
    answer: emulator,
    example: "\u001B[6n",
  },
  {
    name: "extended cursor position (DECXCPR)",
    question: { kind: "csi", prefix: "?", final: "n", first: 6 },
    answer: emulator,
    example: "\u001B[?6n",
  },
  {
    name: "private mode (DECRQM), among them 2026",
    question: { kind: "csi", prefix: "?", intermediates: "$", final: "p" },
    answer: emulator,
    example: "\u001B[?2026$p",
  },
  {
    name: "ANSI mode (DECRQM)",
    question: { kind: "csi", intermediates: "$", final: "p" },
    answer: emulator,
    example: "\u001B[4$p",
  },
  {
    name: "setting (DECRQSS): known ones, else a fixed refusal that repeats nothing",
    question: { kind: "dcs", intermediates: "$", final: "q" },
    answer: emulator,
    example: "\u001BP$qm\u001B\\",
  },
  {
    name: "text colour",
    question: { kind: "osc", command: 10, data: "?" },
    answer: fixed("\u001B]10;rgb:d4d4/d4d4/d4d4\u001B\\"),
    example: "\u001B]10;?\u001B\\",
  },
  {
    name: "background colour: dark, which is what programs assume where nobody answers",
    question: { kind: "osc", command: 11, data: "?" },
    answer: fixed("\u001B]11;rgb:1e1e/1e1e/1e1e\u001B\\"),
    example: "\u001B]11;?\u001B\\",
  },
  {
    name: "program status protocol: answered with the same bytes, so that agents report their state",
    question: { kind: "osc", command: 7501, data: "?" },
    answer: fixed("\u001B]7501;?\u001B\\"),
    example: "\u001B]7501;?\u001B\\",
  },
  {
    name: "kitty keyboard flags: the input side does not encode keys that way",
    question: { kind: "csi", prefix: "?", final: "u" },
    answer: silent,
    example: "\u001B[?u",
  },
  {
    name: "terminal name and version (XTVERSION)",
    question: { kind: "csi", prefix: ">", final: "q" },
    answer: silent,
    example: "\u001B[>q",
  },
  {
    name: "tertiary device attributes (DA3)",
    question: { kind: "csi", prefix: "=", final: "c" },
    answer: silent,
    example: "\u001B[=c",
  },
  {
    name: "colour scheme and other private reports",
    question: { kind: "csi", prefix: "?", final: "n" },
    answer: silent,
    example: "\u001B[?996n",
  },
  {
    name: "window title: it would be typed into the program",
    question: { kind: "csi", final: "t", first: 21 },
    answer: silent,
    example: "\u001B[21t",
  },
  {
    name: "icon title",
    question: { kind: "csi", final: "t", first: 20 },
    answer: silent,
    example: "\u001B[20t",
  },
  {
    name: "size of the text area",
    question: { kind: "csi", final: "t", first: 18 },
    answer: silent,
    example: "\u001B[18t",
  },
  {
    name: "clipboard",
    question: { kind: "osc", command: 52, data: "c;?" },
    answer: silent,
    example: "\u001B]52;c;?\u001B\\",
  },
  {
    name: "palette colour",
    question: { kind: "osc", command: 4, data: "0;?" },
    answer: silent,
    example: "\u001B]4;0;?\u001B\\",
  },
  {
    name: "terminfo capability (XTGETTCAP)",
    question: { kind: "dcs", intermediates: "+", final: "q" },
    answer: silent,
    example: "\u001BP+q544e\u001B\\",
  },
];

/** The rule for one question; undefined is silence. `first` is the first parameter of a control sequence. */
export function ruleFor(question: TerminalQuestion): ReplyRule | undefined {
  return replyRules.find((rule) => fits(rule.question, question));
}

function fits(rule: TerminalQuestion, asked: TerminalQuestion): boolean {
  if (rule.kind === "osc") return asked.kind === "osc" && rule.command === asked.command && rule.data === asked.data;
  if (rule.kind === "dcs") {
    return asked.kind === "dcs" && rule.intermediates === asked.intermediates && rule.final === asked.final;
  }
  return (
    asked.kind === "csi" &&
    rule.prefix === asked.prefix &&
    rule.intermediates === asked.intermediates &&
    rule.final === asked.final &&
    (rule.first === undefined || rule.first === asked.first)
  );
}
