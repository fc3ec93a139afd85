/** What is done in a recording, and what the model says: for any agent. */
import { dialogPlans } from "./dialog-plans.ts";
import { mimicPlans } from "./mimic-plans.ts";
import { repeatPlans } from "./repeat-plans.ts";
import type { ScriptedCall, ScriptedTurn } from "../../support/scripted-model/scenario.ts";

export type Decision = "approve" | "always" | "deny";

/** One thing that the driver does. */
export type PlanStep =
  | { readonly do: "shell"; readonly text: string; readonly output: string | null; readonly exitCode: number }
  /** `command` is typed instead of the driver's own. */
  | { readonly do: "start"; readonly command?: string }
  | {
      readonly do: "prompt";
      readonly text: string;
      readonly how: "typed" | "paste";
      /** The turns that answer it, one after another. */
      readonly turns: readonly ScriptedTurn[];
      /** What is said to each dialog. */
      readonly decisions?: readonly Decision[];
      /** It is interrupted when this pattern fits what is on the screen. */
      readonly interruptAt?: string;
      /** The terminal becomes narrower when this one does. */
      readonly resizeAt?: string;
      /** Sizes that the terminal has one after another while a dialog stands, before it is answered. */
      readonly dialogSizes?: readonly { readonly columns: number; readonly rows: number }[];
    }
  /** Something for the agent itself; `close` takes what it shows away again. */
  | {
      readonly do: "command";
      readonly text: string;
      readonly meaning: "help" | "clear" | "other";
      readonly close?: string;
    }
  | { readonly do: "resize"; readonly columns: number; readonly rows: number }
  /** Keys for the agent itself, such as those that change its mode. */
  | { readonly do: "keys"; readonly keys: string }
  | { readonly do: "exit" };

/** The agent's own names for its tools and commands. */
export interface AgentTools {
  readonly shell: (command: string) => ScriptedCall;
  readonly read: (path: string) => ScriptedCall;
  readonly write: (path: string, content: string) => ScriptedCall;
  readonly clear: string;
  /** A command that shows something; default `/help`. */
  readonly help?: string;
  /** The command that goes on with its last conversation. */
  readonly resume?: string;
  /** Keys into its mode in which it only plans, and out of it. */
  readonly planKeys?: readonly [enter: string, leave: string];
  /** A question of two of four choices, and the keys that answer it. */
  readonly question?: { readonly call: ScriptedCall; readonly dialog: RegExp; readonly keys: readonly string[] };
}

export type Plan = (tools: AgentTools) => readonly PlanStep[];

const words = "amber birch cedar delta ember fjord grove heath islet knoll larch maple north olive pearl quartz".split(
  " ",
);
/** Another one for each number. */
const word = (index: number): string => `${words[index % words.length] ?? ""}${index}`;

const numbered = (count: number, name: string, base = 0): string =>
  Array.from(
    { length: count },
    (_, index) => `${index + 1}. ${name} ${index + 1} is about ${word(base + index)} and ${word(base + index * 7 + 3)}`,
  ).join("\n");

const longList = `Here is the whole list.\n\n${numbered(110, "Entry")}\n\nLIST-END-110.`;

const nested = [
  "## Steps by area",
  ...Array.from({ length: 14 }, (_, index) =>
    [
      `- Area **${word(index)}** number ${index + 1}`,
      `  - check ${word(index + 5)} and ${word(index + 55)} of ${word(index + 105)} number${index + 1}, then ${word(index + 155)} beside ${word(index + 205)}`,
      `  - then \`run-${word(index + 2)} --area ${index + 1}\``,
    ].join("\n"),
  ),
  "NESTED-END-14.",
].join("\n");

const table = [
  "| name | size | what it is for |",
  "| --- | ---: | --- |",
  ...Array.from(
    { length: 9 },
    (_, index) => `| ${word(index)}-${index + 1} | ${(index + 1) * 37} | kept for ${word(index + 4)} |`,
  ),
].join("\n");

const code = [
  "Two files change.",
  "",
  "```python",
  ...Array.from(
    { length: 16 },
    (_, index) => `def step_${index + 1}(${word(index)}):\n    return ${word(index)} + ${index * 3 + 1}`,
  ),
  "```",
  "",
  "And the other one:",
  "",
  "```json",
  '{ "name": "demo", "steps": [1, 2, 3], "nested": { "deep": true } }',
  "```",
  "",
  "> A quoted remark about the change that is long enough to be wrapped on any of the screens that are used here.",
  "",
  "Mixed widths: 漢字とかなの行です。한국어 문장도 있습니다. Ünïcödé, naïve café.",
  "",
  "CODE-END-16.",
].join("\n");

const paragraphs = Array.from(
  { length: 9 },
  (_, index) =>
    `Paragraph ${index + 1} speaks of ${word(index)}, ${word(index + 3)} and ${word(index + 6)}; it goes on for some time so that it takes several rows of the terminal, and it ends with the number ${(index + 1) * 111}.`,
).join("\n\n");

const shellSteps: readonly PlanStep[] = [
  { do: "shell", text: "echo before $((5*5))", output: "before 25", exitCode: 0 },
  { do: "shell", text: "printf 'one\\ntwo\\n'; false", output: "one\ntwo", exitCode: 1 },
];
const lastShell: PlanStep = { do: "shell", text: "echo after $((6*6))", output: "after 36", exitCode: 0 };

const answer = (last: string, say: string, more: Partial<ScriptedTurn> = {}): ScriptedTurn => ({
  when: { last },
  say,
  delayMs: 6,
  eventChars: 4,
  firstDelayMs: 250,
  ...more,
});

const lists: Plan = () => [
  ...shellSteps,
  { do: "start" },
  { do: "prompt", how: "typed", text: "Give me the list-one please", turns: [answer("list-one", longList)] },
  { do: "prompt", how: "typed", text: "And the areas-two", turns: [answer("areas-two", nested, { eventChars: 12 })] },
  {
    do: "prompt",
    how: "typed",
    text: "Now a table-three",
    turns: [answer("table-three", `It is small.\n\n${table}\n\nTABLE-END-9.`)],
  },
  { do: "prompt", how: "typed", text: "Show the code-four", turns: [answer("code-four", code)] },
  {
    do: "prompt",
    how: "typed",
    text: "At once: burst-five",
    turns: [answer("burst-five", `${numbered(60, "Item", 1000)}\n\nBURST-END-60.`, { eventChars: 400, delayMs: 0 })],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Write prose-six",
    turns: [answer("prose-six", `${paragraphs}\n\nPROSE-END-9.`)],
  },
  { do: "exit" },
  lastShell,
];

const tools: Plan = ({ clear, read, shell, write }) => [
  ...shellSteps,
  { do: "start" },
  {
    do: "prompt",
    how: "typed",
    text: "Please run three-at-once",
    turns: [
      answer("three-at-once", "Three commands follow.", {
        calls: [
          shell("echo tool-alpha > a.txt; cat a.txt"),
          shell("echo tool-beta; exit 3"),
          shell("seq 1 40 | sed 's/^/row /'; echo tool-gamma"),
        ],
      }),
      answer("tool-gamma", "All three were run: alpha, beta with the exit code 3, and gamma. THREE-END-1."),
    ],
    decisions: ["approve", "approve", "approve"],
  },
  {
    do: "prompt",
    how: "paste",
    text: [
      "This was pasted-two and has lines:",
      ...Array.from({ length: 7 }, (_, index) => `  row ${index + 1} of the paste, ${word(index)}`),
      "and its end.",
    ].join("\n"),
    turns: [answer("pasted-two", "Nine rows were pasted. PASTED-END-2.")],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Please wipe-three everything",
    turns: [
      answer("wipe-three", "I will wipe the folder `build` now.", {
        calls: [shell("rm -rf ./build && echo wiped-it")],
      }),
    ],
    decisions: ["deny"],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Fine, leave it: go-four",
    turns: [answer("go-four", "The folder was left alone. GO-END-4.")],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Please write-five the story and read it",
    turns: [
      answer("write-five", "First I write.", {
        calls: [write("story.txt", "Once there was a shell.\nIt had a prompt.\nIt waited.\n")],
      }),
      {
        when: { last: "(?i:story|wrote|written|success|created)" },
        say: "Now I read it.",
        calls: [read("story.txt")],
        delayMs: 6,
        eventChars: 4,
      },
      answer("It waited", "The story has three sentences:\n\n1. a shell\n2. a prompt\n3. waiting\n\nWRITE-END-5."),
    ],
    decisions: ["approve"],
  },
  { do: "command", text: clear, meaning: "clear" },
  { do: "prompt", how: "typed", text: "Say last-six in short", turns: [answer("last-six", "All done. LAST-END-6.")] },
  { do: "exit" },
  lastShell,
];

const error = { type: "invalid_request_error", message: "The scripted model refuses this request" };

const faults: Plan = ({ shell }) => [
  ...shellSteps,
  { do: "start" },
  { do: "command", text: "/help", meaning: "help", close: "\u001B" },
  {
    do: "prompt",
    how: "typed",
    text: "Say hello-one",
    turns: [answer("hello-one", "Hello to you as well. HELLO-END-1.")],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Count slow-two to forty",
    turns: [
      answer("slow-two", Array.from({ length: 40 }, (_, index) => `Number ${index + 1} is ${word(index)}.`).join(" "), {
        eventChars: 24,
        delayMs: 150,
      }),
    ],
    interruptAt: "Number 9",
  },
  {
    do: "prompt",
    how: "typed",
    text: "Go on with next-three",
    turns: [answer("next-three", "I went on after the interruption. NEXT-END-3.")],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Try refused-four",
    turns: [{ when: { last: "refused-four(?!.*failing-five)" }, times: "always", status: 400, error }],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Please run failing-five",
    turns: [
      answer("failing-five", "It may fail.", { calls: [shell("echo some words; ls /nonexistent-place; exit 4")] }),
      answer("nonexistent-place", "It failed as was to be expected, with the code 4. FAIL-END-5."),
    ],
    decisions: ["approve"],
  },
  {
    do: "prompt",
    how: "typed",
    text: "Pause in pause-six",
    turns: [answer("pause-six", `${paragraphs.slice(0, 700)}\n\nPAUSE-END-6.`, { eventChars: 250, delayMs: 1600 })],
  },
  { do: "exit" },
  lastShell,
];

const resized: Plan = () => [
  { do: "start" },
  { do: "prompt", how: "typed", text: "Give prose-one", turns: [answer("prose-one", `${paragraphs}\n\nPROSE-END-1.`)] },
  { do: "resize", columns: 66, rows: 22 },
  {
    do: "prompt",
    how: "typed",
    text: "Give list-two",
    turns: [answer("list-two", `${numbered(30, "Line", 2000)}\n\nLIST-END-2.`)],
  },
  { do: "resize", columns: 110, rows: 36 },
  {
    do: "prompt",
    how: "typed",
    text: "Give short-three",
    turns: [answer("short-three", "Short enough. SHORT-END-3.")],
  },
  { do: "exit" },
  lastShell,
];

/** Items with room between them, which agents draw in other ways than those of `lists`. */
const loose: Plan = () => [
  { do: "start" },
  {
    do: "prompt",
    how: "typed",
    text: "Give the loose-one list",
    turns: [
      answer(
        "loose-one",
        [
          "# What was found",
          ...Array.from({ length: 14 }, (_, index) => `- Item ${index + 1} is ${word(index + 3000)} here`),
          "LOOSE-END-1.",
        ].join("\n\n"),
        { eventChars: 16, delayMs: 10 },
      ),
    ],
  },
  { do: "exit" },
  lastShell,
];

const ninety = (name: string, base: number): string => `${numbered(90, name, base)}\n\n${name.toUpperCase()}-END-90.`;

/** A long list while the terminal becomes narrower, and again at rest, wider. */
const ninetyLines: Plan = () => [
  { do: "start" },
  {
    do: "prompt",
    how: "typed",
    text: "Give the ninety-one list",
    turns: [answer("ninety-one", ninety("Fact", 4000), { eventChars: 24, delayMs: 30 })],
    resizeAt: String.raw`Fact [3-9]\d `,
  },
  { do: "resize", columns: 110, rows: 36 },
  { do: "prompt", how: "typed", text: "Say rest-two", turns: [answer("rest-two", "It is at rest. REST-END-2.")] },
  { do: "resize", columns: 76, rows: 24 },
  {
    do: "prompt",
    how: "typed",
    text: "Give the ninety-three list",
    turns: [answer("ninety-three", ninety("Rule", 5000))],
  },
  { do: "exit" },
  lastShell,
];

/** The agent's clear command after short and long turns, twice in a row, and the same prompt behind it. */
const clears: Plan = ({ clear, shell }) => [
  { do: "start" },
  { do: "prompt", how: "typed", text: "Say first-one", turns: [answer("first-one", "First of all. FIRST-END-1.")] },
  { do: "command", text: clear, meaning: "clear" },
  {
    do: "prompt",
    how: "typed",
    text: "Run second-two now",
    turns: [
      answer("second-two", "One command.", { calls: [shell("touch x.txt; echo second-ran")] }),
      answer("second-ran", "It ran. SECOND-END-2."),
    ],
    decisions: ["approve"],
  },
  {
    do: "prompt",
    how: "typed",
    text: "List third-three",
    turns: [answer("third-three", `${numbered(30, "Point", 6000)}\n\nTHIRD-END-3.`)],
  },
  { do: "command", text: clear, meaning: "clear" },
  { do: "command", text: clear, meaning: "clear" },
  { do: "prompt", how: "typed", text: "Say first-one", turns: [answer("first-one", "First of all. FIRST-END-1.")] },
  { do: "command", text: clear, meaning: "clear" },
  { do: "prompt", how: "typed", text: "Say last-four", turns: [answer("last-four", "It is over.\n\nLAST-END-4.")] },
  { do: "exit" },
  lastShell,
];

/** Agents ask again for an answer that was empty. */
const always = { times: "always" } as const;

/** Answers that are empty, blank, a call alone, or one character. */
const empty: Plan = ({ shell }) => [
  { do: "start" },
  { do: "prompt", how: "typed", text: "Say nothing-one", turns: [answer("nothing-one", "", always)] },
  { do: "prompt", how: "typed", text: "Say something-two", turns: [answer("something-two", "Some. SOME-END-2.")] },
  { do: "prompt", how: "typed", text: "Say blank-three", turns: [answer("blank-three", " \n\n", always)] },
  { do: "prompt", how: "typed", text: "Say letter-four", turns: [answer("letter-four", "k")] },
  {
    do: "prompt",
    how: "typed",
    text: "Run alone-five",
    turns: [
      answer("alone-five", "", { calls: [shell("touch y.txt; echo alone-ran")] }),
      answer("alone-ran", "", always),
    ],
    decisions: ["approve"],
  },
  { do: "prompt", how: "typed", text: "Say end-six", turns: [answer("end-six", "That is all. ALL-END-6.")] },
  { do: "exit" },
  lastShell,
];

export const plans: Readonly<Record<string, Plan>> = {
  ...dialogPlans,
  ...mimicPlans,
  ...repeatPlans,
  lists,
  tools,
  faults,
  resized,
  loose,
  ninety: ninetyLines,
  clears,
  empty,
};
