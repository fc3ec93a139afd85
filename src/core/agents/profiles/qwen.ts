import { killLine, ruleRow, type Agent } from "../agent.ts";

/** Qwen Code 0.24, full screen and inline. A spinner glyph stands there while it waits for a permission, too. */
export const qwen: Agent = {
  name: "qwen",
  title: "Qwen Code",
  version: 1,
  basis: "recorded",
  commands: ["qwen"],
  packages: ["@qwen-code/qwen-code"],
  batchArguments: ["-p", "--prompt", "-v", "--version", "-h", "--help", "mcp", "extensions", "auth"],
  statusApps: ["qwen", "qwen-code"],
  titles: [
    { pattern: /^✳\uFE0E? Qwen\b/u, says: "blocked", identifies: true },
    { pattern: /^[◐◑◒◓]\uFE0E? Qwen\b/u, says: "working", identifies: true },
    { pattern: /^Qwen - /, says: "waiting", identifies: true },
  ],
  boxes: [
    {
      top: ruleRow,
      prompt: /^[>!*](?:\s|$)/,
      bottom: ruleRow,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 12,
    },
  ],
  screen: [
    {
      name: "spinner",
      place: { in: "above", rows: 4 },
      pattern: /^\s*[\u2800-\u28FF] [^]*\besc to cancel\)/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "steer",
      place: { in: "below", rows: 3 },
      pattern: /\bEnter to steer\b/,
      says: "working",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: ruleRow, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [/^(?:Allow|Apply|Do you)\b.*\?$/, /^Trust\b.*\?$/],
    hints: [/Waiting for user confirmation\.\.\.$/, /\(Use Enter to select\)/],
    buttons: [],
    top: /^\s*\? \S/,
  },
  draft: { mark: /^[>!*] ?/, placeholder: /^Type your message or @path\/to\/file$/, clear: killLine },
};
