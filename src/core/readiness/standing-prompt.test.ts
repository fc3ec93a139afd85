import assert from "node:assert/strict";
import { test } from "node:test";
import { StandingPrompt } from "./learned-prompts.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
/** As node draws it. */
const DRAWN = "\u001b[1G\u001b[0J> \u001b[3G";

function atPrompt(): StandingPrompt {
  const prompt = new StandingPrompt();
  prompt.printed(bytes(`hello\r\n${DRAWN}`), "> ", true);
  prompt.seen("> ");
  return prompt;
}

test("late output leaves a program at its prompt until something is typed", () => {
  const prompt = atPrompt();
  prompt.printed(bytes("late\r\n"), "", false);
  assert.equal(prompt.line, "> ");
  prompt.typed(bytes("1\r"));
  assert.equal(prompt.line, null);
});

test("a prompt that was drawn between the echo and late output was seen, in any pieces, and text that is like it is none", () => {
  const output = `1\r\n2\r\n${DRAWN}late\r\n`;
  for (let cut = 0; cut <= output.length; cut++) {
    const prompt = atPrompt();
    prompt.typed(bytes("1\r"));
    for (const piece of [output.slice(0, cut), output.slice(cut)]) prompt.printed(bytes(piece), "", false);
    assert.equal(prompt.line, "> ", `cut at ${cut}`);
  }
  const prompt = atPrompt();
  prompt.typed(bytes("1\r"));
  prompt.printed(bytes("1\r\n> late\r\n"), "", false);
  assert.equal(prompt.line, null);
});

test("what is like the prompt within the echo, and between several lines, is none", () => {
  const prompt = atPrompt();
  prompt.typed(bytes("1\r"));
  prompt.printed(bytes(DRAWN), "> ", true);
  assert.equal(prompt.line, null);
  prompt.typed(bytes("2\r"));
  prompt.printed(bytes(`1\r\n${DRAWN}`), "> ", true);
  assert.equal(prompt.line, null);
  prompt.seen("> ");
  assert.equal(prompt.line, "> ");
  prompt.typed(null);
  prompt.printed(bytes(`x\r\n${DRAWN}`), "> ", true);
  assert.equal(prompt.line, null, "it is not known how many lines were typed");
});

test("what this terminal has typed and the journal tells again is one line, and what somebody else types is another", () => {
  for (const [more, expected] of [
    ["", "> "],
    ["2\r", null],
  ] as const) {
    const prompt = atPrompt();
    prompt.typed(bytes("1\r"));
    prompt.typed(bytes("1"), true);
    prompt.printed(bytes("1"), "> 1", false);
    prompt.typed(bytes("\r"), true);
    if (more !== "") prompt.typed(bytes(more), true);
    prompt.printed(bytes(`\r\n1\r\n${DRAWN}`), "> ", true);
    assert.equal(prompt.line, expected);
  }
});
