import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { registryWith } from "../agents/user-agents.ts";
import { draftOf, type Draft } from "./draft.ts";
import { holdsHeadOf, holdsPrompt, isShown } from "./proof.ts";

const nothingTyped = { text: "", isKnown: true };
const reader = { agent: null, run: 0, pid: 7, lastPid: 7 };
const context = {
  profile: undefined,
  prompt: null,
  typed: nothingTyped,
  answers: [],
  inputOffset: 0,
  foreground: null,
  isMarkedPrompt: false,
  isMarkedMore: false,
  firstPrompt: null,
  isAtShellPrompt: false,
  reader,
};
const raw = { verdict: "raw", program: "python3", canonical: false } as const;
const cooked = { verdict: "prompt", program: "cat", canonical: true } as const;
const dim = (text: string): string => `\u001B[2m${text}\u001B[22m`;
const grey = (text: string): string => `\u001B[38;2;175;175;175m${text}\u001B[39m`;
const block = (text: string): string => `\u001B[7m${text}\u001B[27m`;

function boxOf(agent: string, screen: string): Draft {
  const frame = frameOf(screen, { isCursorHidden: true });
  return draftOf(frame, { ...context, profile: builtInAgents.named(agent) });
}

const pick = ({ place, text, showsInput }: Draft): [string, string, boolean] => [place, text, showsInput];

const rule = "─".repeat(40);
const claude = (row: string): Draft => boxOf("claude", `${rule}\n❯ ${row}\n${rule}\n  ? for shortcuts`);
const gemini = (row: string): Draft => {
  const footer = " workspace (/directory)   /model";
  return boxOf("gemini", `${"▄".repeat(40)}\n > ${row}\n${"▀".repeat(40)}\n${footer}`);
};
const shellLine = (screen: string, typed = nothingTyped, prompt: string | null = "bash$ "): Draft =>
  draftOf(frameOf(screen), { ...context, prompt, typed, foreground: raw });

test("placeholders and suggestions of agents are an empty box, a text is a draft", () => {
  assert.deepEqual(claude(block(" ")).text, "");
  assert.deepEqual(claude(`${block("T")}${dim('ry "fix the lint errors"')}`).text, "");
  assert.deepEqual(claude('Try "fix the lint errors"').text, 'Try "fix the lint errors"');
  assert.deepEqual(gemini(`${block(" ")}${grey(" Type your message or @path/to/file")}`).text, "");
  assert.deepEqual(gemini(`${block(" ")}${grey(" Other words of a later version")}`).text, "");
  assert.deepEqual(gemini(`a draft${block(" ")}`).text, "a draft");
});

test("a grey text with the cursor behind it is a draft", () => {
  assert.equal(gemini(`${grey("a grey draft")}${block(" ")}`).text, "a grey draft");
});

test("the names of arguments that an agent draws behind a command are not part of it", () => {
  const copilot = (row: string): string => {
    const frame = frameOf(`${rule}\n❯ ${row}\n${rule}\n / commands`);
    return draftOf(frame, { ...context, profile: builtInAgents.named("copilot") }).text;
  };
  assert.equal(copilot("/clear| [prompt]"), "/clear");
  assert.equal(copilot("/add| <path> [more]"), "/add");
  assert.equal(copilot("/clear [prompt]|"), "/clear [prompt]");
  assert.equal(copilot("a list| [of two]"), "a list [of two]");
});

test("one character with the cursor behind it is a draft, also where the cursor is a cell with a background", () => {
  const cell = (text: string): string => `\u001B[48;2;212;212;212m${text}\u001B[49m`;
  const qwen = (row: string): string => boxOf("qwen", `${rule}\n> ${row}\n${rule}\n  ⏸ Ask permissions`).text;
  assert.deepEqual([qwen(`/${cell(" ")}\u200B`), qwen(`a${cell(" ")}`)], ["/", "a"]);
  assert.equal(qwen(`${cell("T")}${grey("ype something else")}`), "");
  assert.equal(claude(`x${block(" ")}`).text, "x");
});

test("an agent that reads lines takes a text at its prompt, and nowhere else", () => {
  const profile = registryWith([{ name: "bot", line: { prompt: "^>>> " } }]).named("bot");
  const draftAt = (screen: string, typed = nothingTyped): Draft =>
    draftOf(frameOf(screen), { ...context, profile, typed, foreground: raw });
  assert.deepEqual(pick(draftAt(">>> |")), ["line", "", true]);
  assert.deepEqual(pick(draftAt(`>>> |${grey("Send a message")}`)), ["line", "", true]);
  assert.deepEqual(pick(draftAt(">>> a dra|", { text: "", isKnown: false })), ["line", "a dra", true]);
  assert.deepEqual(pick(draftAt("> a quote|")), ["hidden", "", false]);
});

test("what was typed and is not in the box may not be drawn yet", () => {
  const typed = (text: string, row: string): boolean => {
    const frame = frameOf(`${rule}\n❯ ${row}\n${rule}\n  ? for shortcuts`, { isCursorHidden: true });
    const profile = builtInAgents.named("claude");
    return draftOf(frame, { ...context, profile, typed: { text, isKnown: true } }).isUndrawn;
  };
  assert.deepEqual([typed("", ""), typed("a draft", ""), typed("a draft", "a draft")], [false, true, false]);
});

test("an agent whose box is not on the screen hides it, and one whose box is not known has none", () => {
  assert.equal(boxOf("claude", "Some dialog\n ❯ 1. Yes").place, "hidden");
  const profile = registryWith([{ name: "bot", titles: { name: { pattern: "^Bot" } } }]).named("bot");
  assert.equal(draftOf(frameOf("> half a line"), { ...context, profile }).place, "unknown");
});

test("a box holds a prompt that is whole or wrapped, and nothing less", () => {
  assert.ok(holdsPrompt(claude("say hello"), "say hello"));
  assert.ok(holdsPrompt(claude("say hello to\n  everybody here"), "say hello to everybody here"));
  assert.ok(!holdsPrompt(claude("say hello \u{1F44D}"), "say hello \u{1F44E}"));
  assert.ok(!holdsPrompt(claude("say hello"), "say hello \u{1F44E}"));
  assert.ok(!holdsPrompt(claude("ay hello"), "say hello"));
  assert.ok(!holdsPrompt(claude("a draft say hello"), "say hello"));
  assert.ok(!holdsPrompt(claude(""), "say hello"));
  assert.ok(!holdsPrompt(gemini(" what is this"), "? what is this"));
});

test("a box in which the text would go to a shell holds that sign, and not the prompt", () => {
  const shellMode = (row: string): Draft => boxOf("claude", `${rule}\n! ${row}\n${rule}\n  ! for bash mode`);
  assert.equal(shellMode(block(" ")).text, "!");
  assert.ok(!holdsPrompt(shellMode("ls -la"), "ls -la"));
});

test("a tall box that shows the end of a long prompt holds it, and one that shows its beginning does not", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index} of a long text`);
  const shown = lines.slice(-6).join("\n  ");
  assert.ok(holdsPrompt(claude(shown), lines.join("\n")));
  assert.ok(!holdsPrompt(claude(lines.slice(0, 6).join("\n  ")), lines.join("\n")));
  assert.ok(holdsHeadOf(claude(lines.slice(0, 3).join("\n  ")), lines.join("\n")));
});

test("what is typed behind the prompt of a shell is a draft; keys that left nothing there are not", () => {
  assert.deepEqual(shellLine("bash$ rm -rf /tm|", { text: "rm -rf /tm", isKnown: true }).text, "rm -rf /tm");
  assert.equal(shellLine("bash$ |", { text: "q", isKnown: true }).text, "");
  assert.equal(shellLine("bash$ |").text, "");
});

test("a line that the keys do not tell is read behind the prompt that stood there", () => {
  const unknown = { text: "", isKnown: false };
  assert.equal(shellLine("bash$ make test|", unknown).text, "make test");
  assert.equal(shellLine("bash$ |make test", unknown).text, "make test");
  assert.equal(shellLine("bash$ |", unknown).text, "");
  assert.equal(shellLine(`bash$ |${" ".repeat(40)}12:00:01`, unknown).text, "");
  assert.equal(shellLine("other> |", unknown).text, "");
  assert.equal(shellLine("some words|", unknown).place, "unknown");
});

test("a box that is empty holds no prompt of symbols, and one that shows them does", () => {
  assert.ok(!holdsPrompt(claude(block(" ")), "👍"));
  assert.equal(claude(`👍${block(" ")}`).text, "👍");
  assert.ok(holdsPrompt(claude(`👍${block(" ")}`), "👍"));
  assert.ok(!holdsPrompt(claude(`👎${block(" ")}`), "👍"));
  assert.equal(shellLine("bash$ 👍|", { text: "👍", isKnown: true }).text, "👍");
});

test("a folded paste is the prompt if the agent's own sign has its size", () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
  assert.ok(holdsPrompt(claude("[Pasted text #1 +11 lines]"), lines(12)));
  assert.ok(!holdsPrompt(claude("[Pasted text #1 +11 lines]"), lines(13)));
  assert.ok(!holdsPrompt(claude("a draft [Pasted text #1 +11 lines]"), lines(12)));
  assert.ok(!holdsPrompt(claude("[Pasted ~12 lines]"), lines(12)));
  // Claude Code shows one long line so.
  assert.ok(holdsPrompt(claude("[Pasted text #1]"), "word ".repeat(170)));
  assert.ok(!holdsPrompt(claude("[Pasted text #1]"), lines(2)));
  assert.ok(holdsPrompt(gemini("[Pasted Text: 12 lines]"), lines(12)));
  assert.ok(holdsPrompt(gemini("[Pasted Text: 900 chars #2]"), "x".repeat(900)));
  assert.ok(!holdsPrompt(gemini("[Pasted Text: 900 chars]"), "x".repeat(901)));
  const prompt = "what does [Pasted text #1 +11 lines] mean?";
  assert.ok(!holdsPrompt(claude("[Pasted text #1 +11 lines]"), prompt));
  assert.ok(holdsPrompt(claude(prompt), prompt));
});

test("a short prompt is left in the box only where nothing stands behind it", () => {
  assert.ok(!holdsHeadOf(claude("okay, and then deploy"), "ok"));
  assert.ok(holdsHeadOf(claude("ok"), "ok"));
  assert.ok(!holdsHeadOf(claude(block(" ")), "👍"));
  assert.ok(holdsHeadOf(claude("please list the files of src"), "please list the files"));
});

test("a line holds a prompt at its end, and is cleared as its program clears lines", () => {
  const typed = (text: string): Draft => shellLine(`bash$ ${text}|`, { text, isKnown: true });
  const isHeld = (text: string): boolean => isShown({ ...typed(text), typed: "echo hello", screen: "", echoes: 0 });
  assert.deepEqual(["echo hello", "q echo hello", "echo hell", ""].map(isHeld), [true, true, false, false]);
  assert.equal(typed("echo").clear, "\u0005\u0015");
  assert.equal(draftOf(frameOf("name: ab|"), { ...context, foreground: cooked }).clear, "\u0015");
});

test("a program that reads without the prompt that stood there before is not at its prompt", () => {
  const isAtPrompt = (screen: string, prompt: string | null = "bash$ ", isMarkedPrompt = false): boolean =>
    draftOf(frameOf(screen), { ...context, prompt, isMarkedPrompt }).isAtPrompt;
  assert.ok(isAtPrompt("bash$ |"));
  assert.ok(isAtPrompt(">>> |"));
  assert.ok(!isAtPrompt("press a key|"));
  assert.ok(!isAtPrompt("bash$ cat\n|"));
  assert.ok(isAtPrompt("~ then|", "bash$ ", true));
  assert.ok(!draftOf(frameOf("> |"), { ...context, prompt: "bash$ ", isMarkedMore: true }).isAtPrompt);
  assert.ok(isAtPrompt("|", null));
  assert.ok(isAtPrompt("hello\n|", "hello"));
  assert.ok(!draftOf(frameOf("~ |", { isAlternate: true }), { ...context, prompt: "bash$ " }).isAtPrompt);
});

test("pi and Copilot CLI run what begins with an exclamation mark, whatever stands in front of it; Qwen Code reads a command", () => {
  const trimsOf = (agent: string): string | undefined => builtInAgents.named(agent)?.draft?.trims;
  assert.equal(boxOf("pi", `${rule}\n\n${rule}\n 0.0%/200k (auto)`).rules?.trims, "!");
  assert.deepEqual(["pi", "copilot", "qwen", "claude", "gemini", "codex"].map(trimsOf), ["!", "!", "/", "/", "/", ""]);
});

test("a program that takes each key shows an input line only by a sign of one", () => {
  const shows = (screen: string, how: object = {}, isCursorHidden = false): boolean =>
    draftOf(frameOf(screen, { isCursorHidden }), { ...context, foreground: raw, ...how }).showsInput;
  const questions = [
    '? Delete the cluster "prod"? › (y/N)|',
    "Delete? (y)|\n",
    "○ Yes / ● No|",
    "Go on? [Y/n] |",
    "(END)|",
  ];
  for (const screen of questions) assert.equal(shows(screen, {}, true), false, screen);
  assert.equal(shows("? Which?\n❯ npm\n  yarn\n|", {}, true), false);
  assert.equal(shows("keys: |"), false);
  assert.equal(shows("|"), false);
  // The end of a file in a pager looks like the prompt of a debugger.
  assert.equal(shows("(END)|", { foreground: { ...raw, program: "less" } }), false);
  for (const screen of [">>> |", "> |", "(gdb) |", "127.0.0.1:6379> |", "In [1]: |"])
    assert.equal(shows(screen), true, screen);
  for (const screen of ["> |", "Choose> |", "(gdb) |"])
    assert.equal(shows(screen, { foreground: { ...raw, editsLine: false } }), false, screen);
  assert.equal(shows("127.0.0.1:6379> |", { foreground: { ...raw, editsLine: false } }), true);
  assert.equal(shows("\u001B[?2004h|"), true);
  const editor = frameOf("\u001B[?2004hone\n|~", { isAlternate: true });
  assert.equal(draftOf(editor, { ...context, foreground: raw }).showsInput, false);
  assert.equal(draftOf(editor, { ...context, foreground: { ...raw, isRelay: true } }).showsInput, true);
  const unknownAgent = frameOf("\u001B[?2004hclock\n──\n> |", { isAlternate: true });
  assert.equal(draftOf(unknownAgent, { ...context, foreground: raw }).showsInput, true);
  assert.equal(draftOf(frameOf("> |", { isAlternate: true }), { ...context, foreground: raw }).showsInput, false);
  assert.equal(shows("~ |", { isAtShellPrompt: true }), true);
  assert.equal(shows("~ |", { isMarkedPrompt: true }), true);
  // The terminal collects the line.
  assert.equal(shows("name: |", { foreground: cooked }), true);
  assert.equal(shows("name: |", { foreground: null }), true);
  assert.equal(claude("").showsInput, true);
});

test("an answer of the terminal that nobody has read is in the line", () => {
  const textOf = (screen: string, answers: readonly string[], prompt: string | null = "bash$ "): string =>
    draftOf(frameOf(screen), { ...context, prompt, answers, foreground: raw }).text;
  assert.equal(textOf("bash$ 1;2c|", ["[?1;2c"]), "1;2c");
  assert.equal(textOf("bash$ 7501;?1;2c|", ["]7501;?", "[?1;2c"]), "7501;?1;2c");
  // Another directory: the prompt is another one.
  assert.equal(textOf("~/src $ ;1R|", ["[5;1R"], "~ $ "), ";1R");
  // Of several only a part is an answer, or a single character.
  assert.equal(textOf("bash$ 1;2cn|", ["[?1;2c", "[0n"]), "1;2cn");
  assert.equal(textOf("bash$ n|", ["[0n"]), "n");
  assert.equal(textOf("bash$ |", ["[?1;2c"]), "");
  assert.equal(textOf("bash$ 1;2c|", []), "");
});

test("an answer that came after the last output may not be drawn yet", () => {
  const frame = frameOf("bash$ |");
  const draft = { ...context, answers: ["[?1;2c"], inputOffset: frame.offset };
  assert.equal(draftOf(frame, draft).isUndrawn, true);
  assert.equal(draftOf(frame, { ...draft, answers: [] }).isUndrawn, false);
  assert.equal(draftOf(frame, { ...draft, inputOffset: frame.offset - 1 }).isUndrawn, false);
});

test("a prompt of a shell, and a program that hands the text on, may be a shell; REPLs, questions and agents are told apart", () => {
  const kind = (screen: string, more: object = {}): string =>
    draftOf(frameOf(screen), { ...context, foreground: raw, ...more }).kind;
  const shells = ["root@vm:/tmp# ", "$ ", "lab% ", "user@lab ~ $ echo typed"];
  const prompts = [null, null, null, "user@lab ~ $ "];
  assert.deepEqual(
    shells.map((screen, index) => kind(screen, { prompt: prompts[index] })),
    Array.from(shells, () => "shell"),
  );
  assert.deepEqual(
    [">>> ", "sqlite> ", "postgres=# ", "app-# ", "> ", "Go on? [y/N] ", "words"].map((screen) => kind(screen)),
    [...Array.from({ length: 5 }, () => "repl"), "line question", "unknown"],
  );
  assert.equal(kind("> ", { foreground: { ...raw, isRelay: true } }), "shell");
  assert.equal(kind("$ ", { reader: { ...reader, agent: "claude" } }), "agent claude");
});

test("blanks are a draft where the terminal keeps them, and where a line editor shows them behind its prompt", () => {
  const typed = { text: "  ", isKnown: true };
  const textOf = (screen: string, more: object): string =>
    draftOf(frameOf(screen), { ...context, typed, foreground: raw, ...more }).text;
  assert.equal(textOf("Name:   ", { foreground: cooked }), "  ");
  assert.equal(textOf(">>>   ", { prompt: ">>> " }), "  ");
  assert.equal(textOf("$ ", { prompt: "$ " }), "");
});
