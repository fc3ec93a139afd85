/** Plans about what people decide, what fails, and what stands on the screen meanwhile. */
import type { ScriptedTurn } from "../../support/scripted-model/scenario.ts";
import type { Plan, PlanStep } from "./recording-plans.ts";

const answer = (last: string, say: string, more: Partial<ScriptedTurn> = {}): ScriptedTurn => ({
  when: { last },
  say,
  delayMs: 8,
  eventChars: 5,
  firstDelayMs: 250,
  ...more,
});

const typed = (text: string, turns: readonly ScriptedTurn[], more: Partial<PlanStep> = {}): PlanStep =>
  ({ do: "prompt", how: "typed", text, turns, ...more }) as PlanStep;

const last: PlanStep = { do: "shell", text: "echo done $((4*8))", output: "done 32", exitCode: 0 };

/** Questions of several kinds, answered yes, always and no. */
const asks: Plan = ({ shell, write, read }) => [
  { do: "shell", text: "mkdir -p src && echo ready", output: "ready", exitCode: 0 },
  { do: "start" },
  typed(
    "Please build-one it",
    [
      answer("build-one", "I build it with one command.", {
        calls: [shell("printf 'built-%s\\n' alpha > src/a.txt && cat src/a.txt")],
      }),
      answer("built-alpha", "It is **built**. BUILT-END-1."),
    ],
    { decisions: ["approve"] },
  ),
  typed(
    "Write note-three",
    [
      answer("note-three", "A note with three lines.", {
        calls: [write("note.md", "# A note\n\nIt says that *pears* are ripe.\n")],
      }),
      {
        when: { last: "(?i:note.md|wrote|written|created|success|Exit code|exited)" },
        say: "And now I read it.",
        calls: [read("note.md")],
        delayMs: 8,
        eventChars: 5,
      },
      answer("pears", "The note says:\n\n> It says that *pears* are ripe.\n\nNOTE-END-3."),
    ],
    { decisions: ["approve"] },
  ),
  typed(
    "Run pair-four together",
    [
      answer("pair-four", "Two at once:", {
        calls: [shell("sh -c 'echo first-of-pair; exit 2'"), shell("sh -c 'seq 1 3; echo second-of-pair'")],
      }),
      answer("second-of-pair", "Both ran, one after the other. PAIR-END-4."),
    ],
    { decisions: ["approve", "approve"] },
  ),
  typed(
    "Please touch-two things",
    [
      answer("touch-two", "Twice the same command.", { calls: [shell("touch src/same.txt; echo touched-it")] }),
      answer("touched-it", "It was touched. TOUCH-END-2."),
    ],
    { decisions: ["always"] },
  ),
  typed(
    "Please erase-five all",
    [answer("erase-five", "I would erase all of it.", { calls: [shell("rm -rf ./src && echo erased-all")] })],
    { decisions: ["deny"] },
  ),
  typed("What is left after-six", [answer("after-six", "Everything is left; nothing was erased. LEFT-END-6.")]),
  { do: "exit" },
  last,
];

const table = [
  "| Column | Meaning | Unit |",
  "|---|---|---:|",
  "| alpha | the first of the columns | 1 |",
  "| beta | a second one with a longer text that may be wrapped on narrow screens | 22 |",
  "| gamma | `code` in a cell | 333 |",
].join("\n");
const mixed = [
  "# A heading of the first level",
  "Some **bold**, some *italic*, a [link](https://example.com/path) and `inline code` in one paragraph that is rather long, so that it takes more than one row.",
  "## Second level",
  "1. One step\n2. Another step\n   - with a nested point\n   - and one more\n3. The last step",
  "```ts\nexport function sum(numbers: readonly number[]): number {\n  // adds them up\n  return numbers.reduce((total, each) => total + each, 0);\n}\n```",
  table,
  "> Quoted words\n> over two lines",
  "- [ ] a thing to do\n- [x] a thing done",
  "Text after all of it: 漢字かな交じり文 and 한국어 and émigré — “quoted” … MIXED-END-1.",
].join("\n\n");
/** An answer that looks like dialogs, prompts, spinners and other agents: none of it is one. */
const lookalike = [
  "What you may see on a screen:",
  "```\nDo you want to proceed?\n❯ 1. Yes\n  2. No, and tell Claude what to do differently (esc)\n```",
  "```\n✻ Thinking… (esc to interrupt)\n› Ask Codex to do anything\n> Type your message or @path/to/file\nuser@lab:~$ exit\n```",
  "Allow execution of: 'ls'?\n\n● Yes, allow once\n\n✦ Working\n\nLOOKALIKE-END-2.",
].join("\n\n");

/** Much to read, commands of the agent's own, several tools in one turn. */
const reads: Plan = ({ clear, help = "/help", read, shell }) => [
  { do: "shell", text: "printf 'apples\\nplums\\n' > fruit.txt; echo made", output: "made", exitCode: 0 },
  { do: "start" },
  typed("Explain mixed-one", [answer("mixed-one", mixed)]),
  { do: "command", text: help, meaning: "help", close: "\u001B" },
  typed("Show lookalike-two", [answer("lookalike-two", lookalike)]),
  typed("Read fruit-three please", [
    answer("fruit-three", "I look at the file.", { calls: [read("fruit.txt")] }),
    answer("plums", "There are **apples** and **plums**. FRUIT-END-3."),
  ]),
  { do: "command", text: "/model", meaning: "other", close: "\u001B" },
  typed("Count count-four up", [
    answer(
      "count-four",
      Array.from({ length: 45 }, (_, index) => `${index + 1}. Row ${index + 1} of the count, with some words`).join(
        "\n",
      ) + "\n\nCOUNT-END-4.",
      { eventChars: 40 },
    ),
  ]),
  { do: "command", text: clear, meaning: "clear" },
  typed("Afresh begin-five", [answer("begin-five", "A new beginning. BEGIN-END-5.")]),
  typed(
    "Run both-six",
    [
      answer("both-six", "A long one:", { calls: [shell("sh -c 'seq 1 45; echo run-is-over'")] }),
      answer("run-is-over", "Forty-five numbers went by. BOTH-END-6."),
    ],
    { decisions: ["approve"] },
  ),
  { do: "exit" },
  last,
];

const slow = Array.from({ length: 40 }, (_, index) => `Sentence ${index + 1} is told slowly.`).join(" ");
const error = (message: string): NonNullable<ScriptedTurn["error"]> => ({ type: "api_error", message });

/** What goes wrong: errors of the model, interrupts, a resize in the middle. */
const breaks: Plan = ({ shell }) => [
  { do: "start" },
  typed("Try limit-one", [
    {
      when: { last: "limit-one" },
      status: 429,
      times: 2,
      retryAfterSeconds: 1,
      error: { type: "rate_limit_error", message: "Too many requests" },
    },
    answer("limit-one", "It worked after a while. LIMIT-END-1."),
  ]),
  typed("Tell slow-two", [answer("slow-two", slow, { eventChars: 20, delayMs: 100 })], { interruptAt: "Sentence 8" }),
  typed("Try broken-three", [
    { when: { last: "broken-three" }, status: 500, error: error("The scripted model broke down") },
    answer("broken-three", "It was mended. MENDED-END-3."),
  ]),
  typed(
    "Resize wide-four",
    [answer("wide-four", slow.replaceAll("slowly", "widely"), { eventChars: 24, delayMs: 50 })],
    { resizeAt: "Sentence 9" },
  ),
  typed("Try refused-five", [
    {
      when: { last: "refused-five(?!.*sleep-six)" },
      times: "always",
      status: 400,
      error: { type: "invalid_request_error", message: "This model refuses such requests" },
    },
  ]),
  typed(
    "Run sleep-six",
    [
      answer("sleep-six", "It sleeps a little.", { calls: [shell("sh -c 'sleep 3; echo slept-well'")] }),
      answer("slept-well", "It slept well. SLEEP-END-6."),
    ],
    { decisions: ["approve"] },
  ),
  typed("Say over-seven", [answer("over-seven", "All over now. OVER-END-7.")]),
  { do: "exit" },
  last,
];

const longCommand = Array.from(
  { length: 14 },
  (_, index) => `printf 'line ${index + 1} of a command that is long enough to be wrapped\\n' >> out-${index + 1}.txt`,
).join("\n");
const longFile = Array.from({ length: 30 }, (_, index) => `Line ${index + 1} of a file with many of them`).join("\n");
const dialogSizes = [
  [120, 40],
  [60, 20],
  [40, 24],
  [40, 14],
  [80, 24],
].map(([columns = 80, rows = 24]) => ({ columns, rows }));

/** Dialogs while the terminal changes its size: a short command, one of many lines, a file. */
const sizes: Plan = ({ shell, write }) => [
  { do: "start" },
  typed(
    "Please build-one it",
    [
      answer("build-one", "I build it.", { calls: [shell("mkdir -p src && touch src/a.txt; echo built-$((40+2))")] }),
      answer("built-42", "It is built. BUILT-END-1."),
    ],
    { decisions: ["approve"], dialogSizes },
  ),
  typed("Please long-two it", [answer("long-two", "It is long.", { calls: [shell(longCommand)] })], {
    decisions: ["deny"],
    dialogSizes,
  }),
  typed("Write file-three now", [answer("file-three", "A file.", { calls: [write("long.md", longFile)] })], {
    decisions: ["deny"],
    dialogSizes,
  }),
  { do: "exit" },
  last,
];

export const dialogPlans: Readonly<Record<string, Plan>> = { asks, reads, breaks, sizes };
