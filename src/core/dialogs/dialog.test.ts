import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, type FrameOptions } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { registryWith } from "../agents/user-agents.ts";
import type { ForegroundVerdict } from "../records.ts";
import { isPartlyDrawn, readDialog } from "./dialog.ts";

/** Agents that ask in a line of text. */
const agents = registryWith([
  { name: "kiro", dialogs: { questions: [String.raw`(?i)^Allow this action\?.*\[y/n/t\]`] } },
  { name: "aider", dialogs: { questions: [String.raw`\?\s*\(Y\)es/\(N\)o.*\[(?:Yes|No)\]:`] } },
]);

const read = (
  text: string,
  agent: string | null = null,
  options: FrameOptions & { verdict?: ForegroundVerdict; prompt?: string } = {},
) =>
  readDialog(frameOf(text, options), {
    profile: agents.named(agent),
    verdict: options.verdict ?? null,
    prompt: options.prompt ?? null,
    isAtShellPrompt: false,
  });
const brief = (...words: Parameters<typeof read>): string | null => {
  const dialog = read(...words);
  if (dialog === null) return null;
  const ids = dialog.options.map(({ id }) => (id === dialog.selected ? `*${id}` : id)).join(" ");
  return [dialog.kind, dialog.layout, dialog.question, ids].filter((word) => word !== "").join(" | ");
};

const rule = "─".repeat(80);
const claudeDialog = `● I will do it.\n\n${rule}\n Bash command\n ls -l\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel`;

test("a question whose answer is read at the agent's prompt below it", () => {
  const question = "Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:";
  const text = `Using tool: execute_bash\n\n${question}\n\n[developer] 16% > `;
  const prompt = "[developer] 16% > ";
  assert.equal(brief(text, "kiro", { prompt, verdict: "raw" }), `permission | line | ${question} | y n t`);
  assert.equal(brief(`${text}y\nDone.\n\n${prompt}`, "kiro", { prompt, verdict: "raw" }), null);
});

test("an option of a choice refuses nothing, and the key that leaves does", () => {
  const text = `${rule}\n☐ Colour\n\nWhich colour should the button have?\n\n❯ 1. Red\n  2. No colour\n  3. Allow any\n\nEnter to select · Esc to cancel`;
  const { kind, options = [] } = read(text, "claude", { isCursorHidden: true }) ?? {};
  assert.equal(kind, "question");
  assert.deepEqual(
    options.map(({ id, effect }) => `${id} ${effect}`),
    ["1 other", "2 other", "3 other", "esc deny"],
  );
});

test("a permission with its options, the marked one, and what it is about", () => {
  const dialog = read(claudeDialog, "claude", { isCursorHidden: true });
  assert.deepEqual(dialog, {
    kind: "permission",
    question: "Do you want to proceed?",
    details: "Bash command\nls -l",
    tool: "Bash command",
    command: "ls -l",
    change: null,
    directory: null,
    reason: null,
    isComplete: true,
    options: [
      { id: "1", label: "Yes", effect: "allow" },
      { id: "2", label: "No", effect: "deny" },
    ],
    selected: "1",
    layout: "list",
  });
});

test("a text that looks like a dialog above the input box is none", () => {
  const prose = `${claudeDialog.replace(rule, "")}\n${rule}\n❯ \n${rule}\n  ? for shortcuts`;
  assert.equal(brief(prose, "claude", { isCursorHidden: true }), null);
});

test("a file that looks like a dialog, printed at a shell, is none", () => {
  assert.equal(brief(`${claudeDialog}\nuser@lab:~$ |`), null);
  assert.equal(brief("Proceed? [y/N] user@lab:~$ |"), null);
  assert.equal(brief('lab$ read -s -p "Password: |', null, { prompt: "lab$ " }), null);
  assert.equal(brief("1. First\n2. Second\nWhich one?\n$ |"), null);
});

test("a question that is wrapped on a narrow screen is found", () => {
  const text =
    "  Would you like to run the\n  following command?\n\n  $ ls\n\n› 1. Yes\n  2. No (esc)\n\n  Press enter to confirm";
  assert.equal(
    brief(text, "codex", { columns: 30, isCursorHidden: true }),
    "permission | list | Would you like to run the following command? | *1 2",
  );
});

test("trust and login are told from permission", () => {
  const trust = `${rule}\n Do you trust the files in this folder?\n\n ❯ 1. Yes, proceed\n   2. No, exit\n\n Enter to confirm`;
  assert.equal(brief(trust, "claude", { isCursorHidden: true })?.split(" | ")[0], "trust");
  const login = `╭${"─".repeat(60)}╮\n│ How would you like to authenticate for this project? │\n│ ● 1. Login with Google │\n│   2. Use an API key │\n│ (Use Enter to select) │`;
  assert.equal(brief(login, "gemini", { isCursorHidden: true })?.split(" | ")[0], "login");
});

test("programs that read a line ask in front of the cursor", () => {
  assert.equal(brief("Remove all? [y/N] |"), "permission | line | Remove all? [y/N] | y *n");
  assert.equal(
    brief("Are you sure you want to continue connecting (yes/no/[fingerprint])? |", null, { columns: 100 }),
    "trust | line | Are you sure you want to continue connecting (yes/no/[fingerprint])? | yes no fingerprint",
  );
  assert.equal(brief("[sudo] password for user: |"), "login | line | [sudo] password for user:");
});

test("the kernel's word makes questions of other lines", () => {
  assert.equal(brief("Your name: |"), null);
  assert.equal(brief("Your name: |", null, { verdict: "prompt" }), "question | line | Your name:");
  assert.equal(brief("PIN for the card|", null, { verdict: "password" }), "login | line | PIN for the card");
  assert.equal(brief("sqlite> |", null, { verdict: "prompt" }), null);
});

test("a list of an unknown program counts where it hides the cursor or says its keys", () => {
  const list = "? Which framework?\n❯ react\n  vue\n";
  assert.equal(brief(list, null, { isCursorHidden: true }), "question | list | Which framework? | *1 2");
  assert.equal(brief(`${list}\n(Use arrow keys)`), "question | list | Which framework? | *1 2");
  assert.equal(brief(list), null);
});

test("aider asks in its line", () => {
  assert.equal(
    brief("Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: |", "aider"),
    "permission | line | Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: | *y n d",
  );
});

test("a text of the agent that looks like a dialog is none, also while no box is shown", () => {
  const said = "● Look:\n\n  Do you want to proceed?\n\n  ❯ 1. Yes\n    2. No\n\n  Esc to cancel";
  assert.equal(brief(said, "claude", { isCursorHidden: true }), null);
  const indented = said.replaceAll(/^ {2}/gm, "   ");
  assert.equal(brief(indented, "claude", { isCursorHidden: true }), null);
  const framed =
    "✦ ╭─────────────────╮\n  │ Allow it?       │\n  │ ● 1. Allow once │\n  │   2. No         │\n  ╰─────────────────╯";
  assert.equal(brief(framed, "gemini", { isCursorHidden: true }), null);
  assert.equal(
    brief(framed.replaceAll(/^../gm, ""), "gemini", { isCursorHidden: true }),
    "permission | list | Allow it? | *1 2",
  );
});

test("what is typed into opencode --mini, and commands that Claude suggests under its box, are no dialogs", () => {
  const mini = "An answer\n\nWhich of them?\n❯ 1. Yes\n  2. No\n\n BUILD      120 · ctrl+p cmd";
  assert.equal(brief(mini, "opencode"), null);
  const names = Array.from({ length: 15 }, (_, index) => `    /command-${index}  Does something`).join("\n");
  const suggested = `  else:\n\n${rule}\n❯ /\n${rule}\n  ❯ /add-dir  Adds one\n${names}\n    ↓ 59 more`;
  assert.equal(brief(suggested, "claude", { rows: 24, isCursorHidden: true }), null);
});

test("a dialog without its last row is still being drawn", () => {
  const rows = ["  Bash(ls)", "", "  Would you like to continue?", "", "  > Continue (tab)", "    No (esc)", ""];
  const box = (text: readonly string[], bottom: string): string =>
    [`╭${"─".repeat(40)}╮`, ...text.map((row) => `│${row.padEnd(40)}│`), bottom].join("\n");
  const whole = box(rows, `╰${"─".repeat(40)}╯`);
  assert.equal(
    brief(whole, "continue", { isCursorHidden: true }),
    "permission | list | Would you like to continue? | *1 2",
  );
  const context = { profile: builtInAgents.named("continue") };
  assert.equal(isPartlyDrawn(frameOf(whole), context), false);
  for (const part of [box(rows, ""), box(rows.slice(0, 3), "")]) {
    assert.equal(brief(part, "continue", { isCursorHidden: true }), null);
    assert.equal(isPartlyDrawn(frameOf(part), context), true);
  }
});

test("the first and the last row of a dialog are no part of the question", () => {
  const agent = registryWith([
    { name: "zorp", dialogs: { questions: ["^Allow .*\\?$"], top: "^=+$", bottom: "^=+$" } },
  ]).named("zorp");
  const screen = "says so\n=====\nzorp wants to run:\n  rm x\nAllow it?\n=====\n> 1. Yes\n  2. No\n=====";
  const dialog = readDialog(frameOf(screen, { isCursorHidden: true }), {
    profile: agent,
    verdict: null,
    prompt: null,
    isAtShellPrompt: false,
  });
  assert.equal(dialog?.question, "Allow it?");
  assert.equal(dialog?.details, "zorp wants to run:\n  rm x");
});

test("each of several choices is ticked or not, and its label is the same in both", () => {
  const text = `${rule}\n☐ Colours\n\nWhich colours should it have?\n\n❯ 1. [✔] Red\n  2. [ ] Blue\n     Submit\n\nEnter to select · Esc to cancel`;
  const { options = [] } = read(text, "claude", { isCursorHidden: true }) ?? {};
  assert.deepEqual(
    options.map(({ checked, label }) => [label, checked]),
    [
      ["Red", true],
      ["Blue", false],
      ["Submit", undefined],
      ["Cancel (esc)", undefined],
    ],
  );
});
