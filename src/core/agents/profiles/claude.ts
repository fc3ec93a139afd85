import { killLine, ruleRow, type Agent } from "../agent.ts";

/** Claude Code 2.1, full screen and inline. The title does not tell a dialog from the prompt; the box and the dialog do. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  version: 2,
  basis: "recorded",
  commands: ["claude"],
  packages: ["@anthropic-ai/claude-code"],
  batchArguments: [
    "-p",
    "--print",
    "-v",
    "--version",
    "-h",
    "--help",
    "mcp",
    "config",
    "update",
    "doctor",
    "install",
    "plugin",
    "setup-token",
  ],
  statusApps: ["claude-code", "claude"],
  titles: [
    { pattern: /^✳\uFE0E? /u, says: "waiting", identifies: false },
    { pattern: /^[◐◑◒◓\u2800-\u28FF]\uFE0E? /u, says: "working", identifies: false },
    { pattern: /^(?:[✳◐◑] )?Claude Code$/u, says: null, identifies: true },
  ],
  boxes: [
    {
      top: /^[─╌]{2,}.*[─╌]{2,}$/u,
      prompt: /^[❯!#>](?:\s|$)/u,
      bottom: ruleRow,
      below: null,
      inner: null,
      rowsMax: 16,
      // Commands that are suggested stand under it, on high screens many.
      rowsBelowMax: 40,
    },
  ],
  screen: [
    {
      name: "footer",
      place: { in: "below", rows: 3 },
      pattern: /\besc to interrupt\b/,
      says: "working",
      identifies: false,
    },
    {
      name: "spinner",
      place: { in: "above", rows: 8 },
      pattern: /^[·✢✳✶✻✽*∗+] \S.{0,60}…(?: \(.*)?\s*(?:◐.*)?$/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "prompt",
      place: { in: "below", rows: 3 },
      pattern: /\? for shortcuts|\bmode on\b|shift\+tab to cycle/,
      says: "waiting",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: /[─╌]{2,}/u, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [
      /^(?:Do you want|Would you like|Do you trust|Is this a project you)\b.*\?$/,
      /^Ready to (?:code|submit)\b/,
    ],
    hints: [/\bEsc to (?:cancel|exit|go back)\b/, /\bEnter to (?:confirm|select|continue)\b/],
    buttons: [],
    top: /^[─▔]{8,}/u,
    // Texts begin two columns further in.
    options: { row: /^ ❯ \S/u, orUnderTop: true },
  },
  draft: { mark: /^[❯!#>]\s?/u, placeholder: null, clear: killLine },
};
