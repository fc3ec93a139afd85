/** Qwen Code, full screen with a scrollbar of its own, and inline (0.24). */
import { isRule, lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { dedent, firstSpan, isFaint, withoutLineNumber, withoutRight, type RowReading } from "../row.ts";
import { displayWidth } from "../../text/width.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const call = /^ {2}([✓✔✗✕xo⊶⊷?-]) (\S.*)$/;
const confirming = /^ {2}[\u2800-\u28FF] Waiting for user confirmation/u;

export const qwen: ChatProfile = {
  name: "qwen",
  agent: "qwen",
  margin: 3,
  breaksBehind: null,
  changing: /^ {2}[✓✔✗✕xo⊶⊷?-] |\s*←?\s*[│█]$/,
  streamsCalls: true,
  window,
  read,
  tool: (text) => {
    const { name, input } = toolOf(text);
    return { name, input: input === null ? null : (firstArgument(input) ?? input.replace(/ \([^()]*\)$/, "")) };
  },
};

/** The arguments of a call that has failed are shown as JSON, cut at the end of the row. */
function firstArgument(input: string): string | undefined {
  const value = /^\{"\w+":"((?:[^"\\]|\\.)*)/.exec(input.replaceAll("\n", " "))?.[1];
  return value?.replaceAll(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}

function window({ lines, title }: Frame): ChatWindow | null {
  const isBusy = title.startsWith("◐") || title.startsWith("◑");
  const waiting = lastRow(lines, ({ text }) => confirming.test(text), { rowsMax: lines.length });
  if (waiting !== -1) return dialog(lines, waiting);
  const bottom = lastRow(lines, isRule, { rowsMax: 12 });
  const top = bottom === -1 ? -1 : lastRow(lines, isRule, { to: bottom, rowsMax: 16 });
  if (top === -1 || !/^[>!*] /.test(`${lines[top + 1]?.text ?? ""} `)) return null;
  const spinner = lastRow(lines, ({ text }) => /^ {2}[\u2800-\u28FF] /u.test(text), { to: top, rowsMax: 8 });
  const to = trimmed(lines, spinner === -1 ? top : spinner, ({ text }) => /^\s*[│█]?$/.test(text));
  return { from: 0, to, isBusy: isBusy || spinner !== -1 };
}

/** The call that is asked about stands above the question: `? Shell ... ←`. */
function dialog(lines: readonly ScreenLine[], waiting: number): ChatWindow | null {
  const asked = lastRow(lines, ({ text }) => /^ {2}\? .*←/.test(text), { to: waiting });
  if (asked === -1) return null;
  let to = asked + 1;
  while (to < waiting && !/^\s*[│█]?$/.test(lines[to]?.text ?? "")) to += 1;
  return { from: 0, to, isBusy: false };
}

function read(raw: ScreenLine, columns: number): RowReading {
  const line = /[│█]$/.test(raw.text) && displayWidth(raw.text) >= columns - 4 ? withoutRight(raw, columns - 1) : raw;
  const text = line.text.replace(/\s+←$/, "");
  if (firstSpan(line) === undefined) return { role: null, text: "" };
  if (/^ {2}> /.test(text)) return prompt(text.slice(4));
  if (/^ {2}◆/.test(text)) return { role: "assistant", isStart: true, text: text.replace(/^ {2}◆\uFE0E? ?/u, "") };
  if (call.test(text) && line.spans.some((span) => span.isBold))
    return { role: "tool-call", isStart: true, text: text.replace(call, "$2") };
  if (/^ {2}(?:✕|✗|×) /.test(text)) return { role: "error", isStart: true, text: text.slice(4) };
  // What stands behind the last of them is a thought.
  if (/^ {2}(?:●|∴|ℹ|⚠|※|◇|↳|✦)/u.test(text)) return { role: "notice", isStart: true, text: text.slice(4) };
  const own = withoutLineNumber(line) ?? dedent(text, 4);
  if (/^\.{3} first \d+ lines hidden/.test(own)) return { role: null, text: own, behindCall: "tool-result" };
  return { role: null, text: own, ...(isFaint(line) ? {} : { behindCall: "tool-result" as const }) };
}

function prompt(own: string): RowReading {
  if (/^\/[a-z][\w-]*( |$)/.test(own)) return { role: "command", isStart: true, text: own };
  return { role: "user", isStart: true, text: own };
}
