import { killLine, ruleRow, type Agent } from "../agent.ts";

/** Cline 3.0. While it works a spinner stands in the column of its mark, beside the first visible row of what is being written. */
export const cline: Agent = {
  name: "cline",
  title: "Cline",
  version: 1,
  basis: "recorded",
  commands: ["cline"],
  packages: ["cline"],
  batchArguments: [
    "-y",
    "--yolo",
    "--json",
    "auth",
    "config",
    "history",
    "version",
    "update",
    "hook",
    "--version",
    "-h",
    "--help",
  ],
  statusApps: ["cline"],
  titles: [{ pattern: /^Cline$/, says: null, identifies: true }],
  boxes: [
    { top: ruleRow, prompt: /^\s*❯(?:\s|$)/u, bottom: ruleRow, below: null, inner: null, rowsMax: 16, rowsBelowMax: 8 },
  ],
  screen: [
    {
      name: "notice",
      place: { in: "end", rows: 1 },
      pattern: /\bany other key to close$/,
      says: "blocked",
      identifies: false,
    },
    {
      name: "spinner",
      place: { in: "above", rows: 100 },
      pattern: /^ [\u2800-\u28FF](?: |$)/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "footer",
      place: { in: "below", rows: 5 },
      pattern: /○ Plan ● Act|● Plan ○ Act|\bAuto-approve\b/u,
      says: "waiting",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: ruleRow, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [/^(?:Approve|Allow|Continue)\b.*\?$/],
    hints: [],
    buttons: [["Approve", "Deny"]],
    top: null,
  },
  draft: { mark: /^\s*❯ ?/u, placeholder: /^(?:Ask anything\.\.\.|What can I do for you\?)$/, clear: killLine },
};
