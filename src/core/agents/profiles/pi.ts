import { killLine, type Agent } from "../agent.ts";

/** pi 0.87. It asks for no permission; its upper edge carries the spinner. Its OSC 133 marks are about messages, not prompts. */
export const pi: Agent = {
  name: "pi",
  title: "pi",
  version: 2,
  basis: "recorded",
  commands: ["pi"],
  packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
  batchArguments: [
    "-p",
    "--print",
    "-v",
    "--version",
    "-h",
    "--help",
    "--export",
    "--list-models",
    "install",
    "remove",
    "update",
    "list",
  ],
  statusApps: ["pi"],
  titles: [{ pattern: /^π(?: - |$)/u, says: null, identifies: true }],
  boxes: [
    {
      top: /^─{2,}(?: \S.* )?─{2,}$/u,
      prompt: null,
      bottom: /^─{8,}(?: \S.* )?─*$/u,
      below: null,
      inner: null,
      rowsMax: 16,
      rowsBelowMax: 12,
    },
  ],
  screen: [
    {
      name: "edge",
      place: { in: "top", rows: 1 },
      pattern: /^─{2,} [\u2800-\u28FF] /u,
      says: "working",
      identifies: true,
    },
    {
      name: "loader",
      place: { in: "above", rows: 3 },
      pattern: /^ ?[\u2800-\u28FF] \S.*(?:\.\.\.|…|\(.* to (?:cancel|interrupt)\))/mu,
      says: "working",
      identifies: false,
    },
    {
      name: "footer",
      place: { in: "below", rows: 3 },
      pattern: /\d%\/\d[\d.]*[kM]\b/,
      says: "waiting",
      identifies: true,
    },
    { name: "box", place: { in: "top", rows: 1 }, pattern: /^─{8,}/u, says: "waiting", identifies: false },
  ],
  dialogs: { questions: [], hints: [/↑↓ navigate\b.*\benter select/u], buttons: [], top: null },
  draft: { mark: /^/, placeholder: null, clear: killLine },
};
