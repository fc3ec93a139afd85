import { killLine, type Agent } from "../agent.ts";

/** Gemini CLI 0.61. Its box stays while it works; a dialog takes its place. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  version: 3,
  basis: "recorded",
  commands: ["gemini"],
  packages: ["@google/gemini-cli"],
  batchArguments: [
    "-p",
    "--prompt",
    "-v",
    "--version",
    "-h",
    "--help",
    "mcp",
    "extensions",
    "--list-extensions",
    "--list-sessions",
  ],
  statusApps: ["gemini", "gemini-cli"],
  titles: [
    { pattern: /^✋\s+Action Required\b/u, says: "blocked", identifies: true },
    { pattern: /^[✦⏲]\s+\S.*\(.*\)\s*$/u, says: "working", identifies: true },
    { pattern: /^◇\s+Ready\b/u, says: "waiting", identifies: true },
  ],
  boxes: [
    {
      top: /^▄{8,}/u,
      prompt: /^ ?[>!*](?:\s|$)/,
      bottom: /^▀{8,}/u,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 6,
    },
    {
      top: /^╭─{8,}/u,
      prompt: /^│ [>!*](?:\s|$)/u,
      bottom: /^╰─{8,}/u,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 6,
    },
    // Of 256 colours or fewer: the edges are rows of the background of the box, and only the footer tells that it is one.
    {
      top: /^\s*$/,
      prompt: /^ [>!*](?:\s|$)/,
      bottom: /^\s*$/,
      below: /^ \S.*(?:\/directory\)|\bsandbox\b|\/model\b)/,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 6,
    },
  ],
  screen: [
    {
      name: "spinner",
      place: { in: "above", rows: 8 },
      pattern: /^ ?[\u2800-\u28FF] [^]*\(esc to cancel/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "placeholder",
      place: { in: "below", rows: 4 },
      pattern: /\/directory\)|\(.* sandbox\b/,
      says: "waiting",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: /^[▄╭]/u, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [/^(?:Allow|Apply|Do you)\b.*\?$/, /^Trust\b.*\?$/, /^How would you like to authenticate\b/],
    hints: [/\(Use Enter to select\)/, /\bEsc to (?:cancel|close)\b/i],
    buttons: [],
    top: /^╭─{8,}/u,
    // A frame that is part of a text stands two columns further in.
    options: { row: /^│/u, orUnderTop: false },
  },
  draft: { mark: /^(?:│ | )?[>!*] ?/u, placeholder: /^Type your message or @path\/to\/file$/, clear: killLine },
};
