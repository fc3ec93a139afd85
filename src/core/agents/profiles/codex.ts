import { killLine, type Agent } from "../agent.ts";

/** Codex 0.169, full screen and inline. Its box stays while it works, and "Working" is hidden while text streams: the title and OSC 7501 tell. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  version: 1,
  basis: "recorded",
  commands: ["codex"],
  packages: ["@openai/codex"],
  batchArguments: [
    "exec",
    "e",
    "login",
    "logout",
    "mcp",
    "mcp-server",
    "completion",
    "apply",
    "-V",
    "--version",
    "-h",
    "--help",
  ],
  statusApps: ["codex"],
  titles: [
    { pattern: /^\[ [!.] \] /, says: "blocked", identifies: false },
    { pattern: /^[\u2800-\u28FF] /u, says: "working", identifies: false },
    { pattern: /^[^[\u2800-\u28FF]/u, says: "waiting", identifies: false },
  ],
  boxes: [
    {
      top: null,
      prompt: /^›(?! \d+\. )/u,
      bottom: /^\s*$/,
      below: /^ {2}\S/,
      inner: /^(?: {2}|\s*$)/,
      rowsMax: 16,
      rowsBelowMax: 10,
    },
  ],
  screen: [
    {
      name: "working",
      place: { in: "above", rows: 4 },
      pattern: /^\s*[•◦] .{1,80}\(.*\besc to interrupt\)/mu,
      says: "working",
      identifies: true,
    },
    {
      name: "placeholder",
      place: { in: "top", rows: 1 },
      pattern: /^› Ask Codex to do anything$/u,
      says: "waiting",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: /^›/u, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [/^Would you like to .*\?$/, /^Do you (?:want|trust)\b.*\?$/, /^Allow .*\?$/, /^Implement this plan\?$/],
    hints: [/^Press enter to (?:confirm|continue)\b/i, /\besc to (?:cancel|go back)\b/i],
    buttons: [],
    top: null,
  },
  draft: { mark: /^› ?/u, placeholder: null, clear: killLine },
};
