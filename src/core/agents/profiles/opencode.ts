import { killLine, type Agent } from "../agent.ts";

/** opencode 1.18, full screen and `--mini`. Its titles carry no state. */
export const opencode: Agent = {
  name: "opencode",
  title: "opencode",
  version: 2,
  basis: "recorded",
  commands: ["opencode"],
  packages: ["opencode-ai"],
  batchArguments: [
    "run",
    "serve",
    "web",
    "auth",
    "providers",
    "models",
    "upgrade",
    "stats",
    "export",
    "import",
    "mcp",
    "agent",
    "-v",
    "--version",
    "-h",
    "--help",
  ],
  statusApps: ["opencode"],
  titles: [{ pattern: /^(?:OpenCode$|OC \| )/, says: null, identifies: true }],
  boxes: [
    // Before the first prompt it stands in the middle of the screen, however high that is.
    { top: null, prompt: /^\s*┃/u, bottom: /^\s*╹▀{8,}/u, below: null, inner: null, rowsMax: 2, rowsBelowMax: 100 },
    // Of `--mini` it has no edges; the row below is not shown while a dialog stands.
    {
      top: /^\s*$/,
      prompt: null,
      bottom: /^ \p{Lu}+ .*\bctrl\+p cmd$/u,
      below: null,
      inner: null,
      rowsMax: 24,
      rowsBelowMax: 1,
    },
  ],
  screen: [
    {
      name: "bar",
      place: { in: "below", rows: 2 },
      pattern: /\s[■⬝]{6,}\s/u,
      says: "working",
      identifies: true,
    },
    { name: "box", place: { in: "below", rows: 1 }, pattern: /^\s*╹▀{8,}/u, says: "waiting", identifies: true },
    {
      name: "mini bar",
      place: { in: "end", rows: 1 },
      pattern: /^ \p{Lu}+ .*\besc (?:again to )?interrupt\b.*\bctrl\+p cmd$/u,
      says: "working",
      identifies: true,
    },
    {
      name: "mini prompt",
      place: { in: "end", rows: 1 },
      pattern: /^ \p{Lu}+ .*\bctrl\+p cmd$/u,
      says: "waiting",
      identifies: true,
    },
    {
      name: "mini field",
      place: { in: "end", rows: 1 },
      pattern: /\benter confirm {2}esc cancel$/,
      says: "waiting",
      identifies: false,
    },
  ],
  dialogs: {
    questions: [/^△ .*(?:required|permission)/iu],
    hints: [/\benter (?:confirm|submit)\b/, /⇆ select/u],
    buttons: [
      ["Allow once", "Allow always", "Reject"],
      ["Confirm", "Cancel"],
    ],
    top: null,
  },
  draft: {
    mark: /^\s*┃ {0,2}/u,
    placeholder: /^Ask anything(?:\.{3}|…)/u,
    clear: killLine,
    // Of full screen only: that of `--mini` has no edge above its text.
    boxes: [
      {
        top: /^(?!\s*┃)/u,
        prompt: null,
        bottom: /^\s*╹▀{8,}/u,
        below: null,
        inner: null,
        rowsMax: 24,
        rowsBelowMax: 100,
      },
    ],
    footerRows: 1,
  },
};
