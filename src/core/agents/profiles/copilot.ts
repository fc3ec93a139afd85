import { ruleRow, type Agent } from "../agent.ts";

/** GitHub Copilot CLI 1.0: seen by us, but its recordings are not kept. */
export const copilot: Agent = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  version: 1,
  basis: "public",
  commands: ["copilot"],
  packages: ["@github/copilot"],
  batchArguments: ["-p", "--prompt", "-v", "--version", "-h", "--help", "help"],
  statusApps: ["copilot", "github-copilot"],
  titles: [{ pattern: /^(?:🤖 )?GitHub Copilot\b/u, says: null, identifies: true }],
  boxes: [
    {
      top: ruleRow,
      prompt: /^\s*[❯>](?:\s|$)/u,
      bottom: ruleRow,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 4,
    },
    {
      top: /^\s*╭─{8,}/u,
      prompt: /^\s*│ [❯>](?:\s|$)/u,
      bottom: /^\s*╰─{8,}/u,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 4,
    },
  ],
  screen: [
    {
      name: "working",
      place: { in: "above", rows: 4 },
      pattern: /^\s*[●○◉◎∙∘] .*\b(?:esc|Esc) (?:again )?(?:to )?(?:interrupt|cancel)\b/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "working at the end",
      place: { in: "end", rows: 4 },
      pattern: /^\s*[●○◉◎∙∘] \S.*\besc (?:esc )?(?:interrupt|cancel)\b/mu,
      says: "working",
      identifies: false,
    },
    { name: "footer", place: { in: "end", rows: 1 }, pattern: /\/ commands\b/, says: "waiting", identifies: true },
    { name: "box", place: { in: "top", rows: 1 }, pattern: /[─╭]/u, says: "waiting", identifies: false },
  ],
  dialogs: {
    questions: [/^Do you (?:want|trust)\b.*\?$/, /^Confirm folder trust$/],
    hints: [/\benter to (?:select|confirm|submit)\b/i, /\besc to cancel\b/i],
    buttons: [],
    top: /^\s*╭─{8,}/u,
  },
};
