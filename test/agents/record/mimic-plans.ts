/** Plans in which what is said, asked, typed and printed looks like what agents draw, comes twice, or ends early. */
import type { ScriptedTurn } from "../../support/scripted-model/scenario.ts";
import type { Plan, PlanStep } from "./recording-plans.ts";

const answer = (last: string, say: string, more: Partial<ScriptedTurn> = {}): ScriptedTurn => ({
  when: { last },
  say,
  delayMs: 12,
  eventChars: 6,
  firstDelayMs: 250,
  ...more,
});

const typed = (text: string, turns: readonly ScriptedTurn[], more: Partial<PlanStep> = {}): PlanStep =>
  ({ do: "prompt", how: "typed", text, turns, ...more }) as PlanStep;

const first: PlanStep = {
  do: "shell",
  text: "printf 'figs\\n\\nkiwis\\n' > list.txt; echo made",
  output: "made",
  exitCode: 0,
};
const last: PlanStep = { do: "shell", text: "echo left $((5*9))", output: "left 45", exitCode: 0 };

const rich = [
  "# What the survey found",
  "The first paragraph has **strong words**, *soft ones*, `some_code()` and a [name](https://example.org/a/b?c=d) in it, and it runs on until it needs a second row and, on narrow screens, a third.",
  "- Fruit\n  - Apples, which are kept in the cellar until the spring and then brought up to the kitchen in small baskets\n    - red ones\n    - green ones\n  - Pears\n- Bread\n\n  A paragraph inside of the second item.\n\n- Cheese",
  "1. Open the door\n2. Walk in:\n   ```sh\n   cd /srv/house\n\n   ls -la | head -n 3\n   ```\n3. Close it again",
  "---",
  "| 名前 | Anzahl | Bemerkung |\n|:--|--:|:-:|\n| 林檎 | 12 | reif 🍎 |\n| 梨 | 7 | noch hart, braucht ein paar Tage in der Sonne |\n| Käse | 1 | — |",
  "> Said once\n>\n> > and said again\n\nThen 家族は四人です。とても長い文なので、画面の端で折り返されるはずですが、言葉の間に空白はありません。 And emoji: 👩‍👩‍👧‍👦 🇯🇵 👍🏽 ✅ done.",
  "RICH-END-1.",
].join("\n\n");

const changes = [
  "Here is the change:",
  "```diff\ndiff --git a/src/sum.ts b/src/sum.ts\n@@ -1,4 +1,6 @@\n-export const sum = (a, b) => a + b;\n+export function sum(a: number, b: number): number {\n+  return a + b;\n+}\n \n export const zero = 0;\n```",
  "And the whole file:",
  '```python\nimport os\n\n\nclass House:\n    """A house."""\n\n    def open(self, door: str) -> None:\n        if door == "front":\n            print("● open")\n\n        else:\n            print("closed")\n\n\nprint(House())\n```',
  "```\n  1  first\n  2  second\n 10  tenth\n```",
  "It is *done* with 2 files, `+3 -1`.\n\nCHANGES-END-2.",
].join("\n\n");

/** All of it is text of the model. */
const mimics = [
  "● Bash(rm -rf /)\n  ⎿  Done",
  "• Ran ls\n  └ one.txt",
  "✦ I am another agent.",
  "╭──────────────╮\n│ ? Shell  ls  │\n│ ● 1. Allow   │\n╰──────────────╯",
  "> Type your message or @path/to/file",
  "› Ask Codex to do anything",
  "────────────────────────\n❯ \n────────────────────────",
  "```\n──────────────────────────────\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n──────────────────────────────\n```",
  "■ Conversation interrupted\n\n✻ Thinking… 3s · esc to interrupt",
  "What now?\n\n1. Yes\n2. No, and tell me more\n\nPress enter to confirm or esc to cancel MIMIC-END-3.",
].join("\n\n");

const typedMimic = [
  "Look at these-four lines:",
  "❯ 1. Yes",
  "  2. No",
  "● I have done it.",
  "✦ So have I, esc to interrupt",
  "Do you want to proceed?",
].join("\n");

/** Long markdown, wide letters, a diff, and texts that look like dialogs, prompts, tools and other agents. */
const mimic: Plan = ({ clear }) => [
  first,
  { do: "start" },
  typed("Report rich-one at length", [answer("rich-one", rich)]),
  typed("Show changes-two", [answer("changes-two", changes)]),
  typed(typedMimic, [answer("these-four", "Six lines, none of which does anything. TYPED-END-4.")]),
  typed("Imitate mimic-three", [answer("mimic-three", mimics)]),
  typed("And a last-five word", [
    answer("last-five", "It is a list and asks for nothing:\n\n1. Yes\n2. No\n\nLAST-END-5."),
  ]),
  { do: "command", text: clear, meaning: "clear" },
  typed("Show changes-two", [answer("changes-two", changes)]),
  { do: "exit" },
  last,
];

/** Calls without a word, calls in a chain, a call and its answer twice, outputs that look like agents, a denied one. */
const chains: Plan = ({ read, shell, write }) => [
  first,
  { do: "start" },
  typed(
    "Do silent-one",
    [
      {
        when: { last: "silent-one" },
        calls: [read("list.txt"), shell("sh -c 'echo b-eta | tr -d -'")],
        delayMs: 8,
        firstDelayMs: 250,
      },
      answer("beta", "Read and run. SILENT-END-1."),
    ],
    { decisions: ["approve"] },
  ),
  typed(
    "Do chain-two",
    [
      answer("chain-two", "First of the **chain**.", {
        think: "A chain has three parts.",
        calls: [shell("sh -c 'expr 10 + 1 | sed s,^,link-,'")],
      }),
      answer("link-11", "Second of it:\n\n- with a list\n- of two", {
        calls: [shell("sh -c 'expr 20 + 2 | sed s,^,link-,'")],
      }),
      answer("link-22", "Third of it. CHAIN-END-2."),
    ],
    { decisions: ["approve", "approve"] },
  ),
  typed(
    "Do output-three",
    [
      answer("output-three", "It prints odd things.", {
        calls: [
          shell(
            "touch odd.txt; sh -c \"printf '● Done\\n\\n❯ 1. Yes\\n  2. No\\n> hello\\n\\n\\nesc to interrupt\\n%s-end\\n' odd\"",
          ),
        ],
      }),
      answer("odd-end", "Odd, but only an output. OUTPUT-END-3."),
    ],
    { decisions: ["approve"] },
  ),
  typed("Say it again-four", [answer("again-four", "The same words as ever. AGAIN-END-4.")]),
  typed("Say it again-four", [answer("again-four", "The same words as ever. AGAIN-END-4.")]),
  typed(
    "Try deny-five",
    [answer("deny-five", "I remove what is there.", { calls: [shell("rm -f list.txt && echo removed-it")] })],
    {
      decisions: ["deny"],
    },
  ),
  typed(
    "Do script-six",
    [
      answer("script-six", "A script of several lines.", {
        calls: [
          shell('for each in one two; do touch $each;\n  sh -c "echo has $each"\ndone\n\necho Do you want to proceed?'),
        ],
      }),
      answer("has two", "It has both of them. SCRIPT-END-6."),
    ],
    { decisions: ["approve"] },
  ),
  typed(
    "Write file-seven",
    [
      answer("file-seven", "I write it down.", {
        calls: [write("plan.md", "# Plan\n\n1. Yes\n2. No\n\n> esc to cancel\n")],
      }),
      answer("(?i:plan.md|wrote|written|created|success|Exit code|exited)", "It is written. FILE-END-7."),
    ],
    { decisions: ["approve"] },
  ),
  { do: "exit" },
  last,
];

const slowly = Array.from({ length: 30 }, (_, index) => `- Point ${index + 1} is made without any haste`).join("\n");

/** Interrupts before and in the middle of an answer, errors that are tried again, commands of the agent, resizes. */
const stops: Plan = ({ clear, help = "/help", shell }) => [
  first,
  { do: "start" },
  { do: "command", text: help, meaning: "help", close: "\u001B" },
  typed("List slowly-one", [answer("slowly-one", slowly, { eventChars: 24, delayMs: 120 })], {
    interruptAt: "Point 7",
  }),
  typed("Go on with after-two", [answer("after-two", "It was stopped and goes on. AFTER-END-2.")]),
  typed("Try overload-three", [
    {
      when: { last: "overload-three" },
      status: 500,
      times: 2,
      error: { type: "api_error", message: "Overloaded for now" },
    },
    answer("overload-three", "The third try was **good**. OVERLOAD-END-3."),
  ]),
  typed("Try limited-four", [
    {
      when: { last: "limited-four" },
      status: 429,
      retryAfterSeconds: 2,
      error: { type: "rate_limit_error", message: "Slow down please" },
    },
    answer("limited-four", "It was let through. LIMITED-END-4."),
  ]),
  typed(
    "List wider-five",
    [
      answer(
        "wider-five",
        slowly.replaceAll("haste", "hurry at all, so it fills the row and may go on in another one") +
          "\n\nWIDER-END-5.",
        { eventChars: 40, delayMs: 60 },
      ),
    ],
    {
      resizeAt: "Point 9",
    },
  ),
  { do: "resize", columns: 124, rows: 34 },
  typed("Say short-six", [answer("short-six", "On a wider screen. SHORT-END-6.")]),
  { do: "command", text: "/model", meaning: "other", close: "\u001B" },
  typed(
    "Run sleepy-seven",
    [
      answer("sleepy-seven", "It takes its time.", {
        calls: [shell("sh -c 'for n in 1 2 3; do echo tick-$n; sleep 1; done'")],
      }),
      answer("tick-3", "Three ticks. SLEEPY-END-7."),
    ],
    { decisions: ["approve"] },
  ),
  { do: "command", text: clear, meaning: "clear" },
  typed("Say short-six", [answer("short-six", "On a wider screen. SHORT-END-6.")]),
  { do: "exit" },
  last,
];

export const mimicPlans: Readonly<Record<string, Plan>> = { mimic, chains, stops };
