/** Conversations in which every block comes twice: the same code, list, table, result and answer, some with the same prompt. */
import type { ScriptedTurn } from "../../support/scripted-model/scenario.ts";
import type { Plan, PlanStep } from "./recording-plans.ts";

const answer = (last: string, say: string, more: Partial<ScriptedTurn> = {}): ScriptedTurn => ({
  when: { last },
  say,
  delayMs: 6,
  eventChars: 12,
  firstDelayMs: 250,
  ...more,
});

const asked = (name: string, turns: readonly ScriptedTurn[]): PlanStep => ({
  do: "prompt",
  how: "typed",
  text: `Please do chat item ${name} now`,
  turns,
});

/** Every second row is the same in each; all of it comes at once. */
const code = (name: string): PlanStep => {
  const functions = Array.from(
    { length: 9 },
    (_, index) => `def step_${index}_${name.split("-")[0]}(value):\n    return value * ${index}  # step ${index}`,
  );
  const say = ["Code follows:", "", "```python", ...functions, "```", "", `CODE-END-${name}.`].join("\n");
  return asked(name, [answer(name, say, { eventChars: 400, delayMs: 0 })]);
};

const list = (name: string): PlanStep => {
  const rows = Array.from(
    { length: 28 },
    (_, index) => `${index + 1}. Entry ${index + 1} of the list is kept as it was`,
  );
  return asked(name, [answer(name, `All of it:\n\n${rows.join("\n")}\n\nThe list ends here.`)]);
};

const table = (name: string): PlanStep => {
  const rows = Array.from({ length: 6 }, (_, index) => `| part-${index} | ${index * 37} | kept |`);
  return asked(name, [answer(name, ["| name | size | use |", "| --- | ---: | --- |", ...rows].join("\n"))]);
};

const short = (name: string): PlanStep => asked(name, [answer(name, "It is done.")]);

/** Lists in lists, quotes, and text in scripts of several widths. */
const mixed = (name: string): PlanStep => {
  const say = [
    "## What there is",
    "- birds",
    "  - a swift with `wing --fast`",
    "  - an owl, **awake**",
    "    1. by night",
    "    2. by day",
    "- 漢字とかなの行です。長い行は折り返されますので、幅を正しく数える必要があります。",
    "- 한국어 문장도 있습니다; Ünïcödé, naïve café, ภาษาไทย.",
    "",
    "> A remark about it that is long enough to be wrapped on a narrow screen, whichever that is.",
    "",
    "It ends here.",
  ];
  return asked(name, [answer(name, say.join("\n"))]);
};

const error = { type: "invalid_request_error", message: "The scripted model crashed" };

/** The prompts in the second half are other ones but for "Run the tests again". */
export const repeatPlans: Readonly<Record<string, Plan>> = {
  twice: ({ shell }) => {
    const tests: PlanStep = {
      do: "prompt",
      how: "typed",
      text: "Run the tests again",
      turns: [
        answer("Run the tests", "I run them.", {
          calls: [shell("seq 1 12 | sed 's/^/check passes /' | tee checks.txt")],
        }),
        answer("check passes", "All twelve checks pass.\n\nNothing else was changed."),
      ],
      decisions: ["approve"],
    };
    return [
      { do: "start" },
      code("amber-one"),
      tests,
      list("birch-two"),
      short("cedar-three"),
      table("delta-four"),
      code("ember-five"),
      tests,
      list("fjord-six"),
      short("grove-seven"),
      table("heath-eight"),
      code("islet-nine"),
      tests,
      { do: "exit" },
    ];
  },
  again: ({ clear, planKeys, resume, shell }) => {
    const tests: PlanStep = {
      do: "prompt",
      how: "typed",
      text: "Run the tests again",
      turns: [
        answer("Run the tests", "I run them.", {
          calls: [shell("seq 1 12 | sed 's/^/check passes /' | tee checks.txt")],
        }),
        answer("check passes", "All twelve checks pass."),
      ],
      decisions: ["approve"],
    };
    const crash: PlanStep = {
      do: "prompt",
      how: "typed",
      text: "Please crash-now",
      turns: [{ when: { last: "crash-now" }, times: "always", status: 400, error }],
    };
    return [
      { do: "start" },
      table("amber-one"),
      mixed("birch-two"),
      tests,
      code("cedar-three"),
      table("delta-four"),
      mixed("ember-five"),
      tests,
      code("fjord-six"),
      ...(planKeys === undefined
        ? []
        : [
            { do: "keys" as const, keys: planKeys[0] },
            short("plan-seven"),
            { do: "keys" as const, keys: planKeys[1] },
          ]),
      short("grove-eight"),
      crash,
      { do: "command", text: clear, meaning: "clear" },
      table("heath-nine"),
      short("islet-ten"),
      { do: "exit" },
      ...(resume === undefined
        ? []
        : [
            { do: "start" as const, command: resume },
            short("knoll-eleven"),
            table("larch-twelve"),
            { do: "exit" as const },
          ]),
    ];
  },
};
