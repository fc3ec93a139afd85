/**
 * The questions of programs that the emulator of a session answers, as data. Questions without a rule are not answered.
 *
 * Answered are questions that agents wait for at their start (device attributes, cursor position, modes, colours, program status). Not
 * answered are those whose answer would put output text into the input (titles, clipboard, echoed unknown requests), or would claim an
 * input encoding that is not supported (kitty keyboard).
 */

/** How a question is recognised. `csi`: `prefix`, `intermediates` and `final` as in ECMA-48 5.4; `osc`: the command number. */
export type TerminalQuestion =
  | {
      readonly kind: "csi";
      readonly prefix?: string;
      readonly intermediates?: string;
      readonly final: string;
      /** The first parameter; default: any. */
      readonly first?: number;
    }
  | { readonly kind: "dcs"; readonly intermediates: string; readonly final: string }
  | { readonly kind: "osc"; readonly command: number; readonly data: string };

/** `emulator`: by its state (position, modes). `fixed`: always `reply`. `silent`: never. */
type Answer =
  | { readonly by: "emulator" }
  | { readonly by: "fixed"; readonly reply: string }
  | { readonly by: "silent" };

export interface ReplyRule {
  readonly name: string;
  readonly question: TerminalQuestion;
  readonly answer: Answer;
}

const emulator: Answer = { by: "emulator" };
const silent: Answer = { by: "silent" };
const fixed = (reply: string): Answer => ({ by: "fixed", reply });

const csi = (
  final: string,
  rest: Partial<Omit<TerminalQuestion & { kind: "csi" }, "kind" | "final">> = {},
): TerminalQuestion => ({
  kind: "csi",
  final,
  ...rest,
});
const dcs = (intermediates: string, final: string): TerminalQuestion => ({ kind: "dcs", intermediates, final });
const osc = (command: number, data: string): TerminalQuestion => ({ kind: "osc", command, data });
/** Frequent questions first. The first rule that fits applies. */
export const replyRules: readonly ReplyRule[] = [
  { name: "primary device attributes (DA1)", question: csi("c"), answer: emulator },
  { name: "secondary device attributes (DA2)", question: csi("c", { prefix: ">" }), answer: emulator },
  { name: "device status (DSR 5) and cursor position (CPR)", question: csi("n"), answer: emulator },
  { name: "extended cursor position (DECXCPR)", question: csi("n", { prefix: "?", first: 6 }), answer: emulator },
  { name: "private mode (DECRQM)", question: csi("p", { prefix: "?", intermediates: "$" }), answer: emulator },
  { name: "ANSI mode (DECRQM)", question: csi("p", { intermediates: "$" }), answer: emulator },
  // Unknown settings get a fixed refusal, which repeats nothing.
  { name: "setting (DECRQSS)", question: dcs("$", "q"), answer: emulator },
  { name: "text colour", question: osc(10, "?"), answer: fixed("\u001B]10;rgb:d4d4/d4d4/d4d4\u001B\\") },
  // Dark, which programs assume without an answer.
  { name: "background colour", question: osc(11, "?"), answer: fixed("\u001B]11;rgb:1e1e/1e1e/1e1e\u001B\\") },
  // Answered with the same bytes, so that agents report their state.
  { name: "program status protocol", question: osc(7501, "?"), answer: fixed("\u001B]7501;?\u001B\\") },
  // The input side does not encode keys in that way.
  { name: "kitty keyboard flags", question: csi("u", { prefix: "?" }), answer: silent },
  { name: "terminal name and version (XTVERSION)", question: csi("q", { prefix: ">" }), answer: silent },
  { name: "tertiary device attributes (DA3)", question: csi("c", { prefix: "=" }), answer: silent },
  { name: "colour scheme and other private reports", question: csi("n", { prefix: "?" }), answer: silent },
  // The title would become input of the program.
  { name: "window title", question: csi("t", { first: 21 }), answer: silent },
  { name: "icon title", question: csi("t", { first: 20 }), answer: silent },
  { name: "size of the text area", question: csi("t", { first: 18 }), answer: silent },
  { name: "clipboard", question: osc(52, "c;?"), answer: silent },
  { name: "palette colour", question: osc(4, "0;?"), answer: silent },
  { name: "terminfo capability (XTGETTCAP)", question: dcs("+", "q"), answer: silent },
];

/** The rule for one question; undefined is silence. `first` is the first parameter of a control sequence. */
export const ruleFor = (question: TerminalQuestion): ReplyRule | undefined =>
  replyRules.find((rule) => fits(rule.question, question));

function fits(rule: TerminalQuestion, asked: TerminalQuestion): boolean {
  if (rule.kind === "osc") return asked.kind === "osc" && rule.command === asked.command && rule.data === asked.data;
  if (rule.kind === "dcs")
    return asked.kind === "dcs" && rule.intermediates === asked.intermediates && rule.final === asked.final;
  return (
    asked.kind === "csi" &&
    rule.prefix === asked.prefix &&
    rule.intermediates === asked.intermediates &&
    rule.final === asked.final &&
    (rule.first === undefined || rule.first === asked.first)
  );
}
