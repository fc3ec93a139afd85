import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "./approval.ts";
import type { Dialog } from "./dialog.ts";
import { scrolledTo } from "./scrolled-list.ts";

const list = (labels: string, selected: string | null, more: Partial<Dialog> = {}): Dialog => ({
  ...noSubject,
  kind: "question",
  question: "Which?",
  details: "",
  options: [...labels].map((label, index) => ({ id: String(index + 1), label, effect: "other" })),
  selected,
  isComplete: true,
  layout: "list",
  ...more,
});
const brief = ({ above, options, selected }: Dialog) =>
  `${options.map(({ id, label }) => `${id}${label}`).join(" ")} at ${selected}${above === undefined ? "" : ` above ${above}`}`;

test("a window further down or up has the options that were asked, with the mark on them", () => {
  const asked = list("abcde", "1");
  assert.equal(brief(scrolledTo(asked, list("bcdef", "3"))), "1a 2b 3c 4d 5e at 4");
  assert.equal(brief(scrolledTo(asked, list("defgh", "4"))), "1a 2b 3c 4d 5e at null above 5");
  assert.equal(brief(scrolledTo(asked, list("yzabc", "1"))), "1a 2b 3c 4d 5e at null above 0");
  assert.equal(brief(scrolledTo(asked, list("cd", "2"))), "1a 2b 3c 4d 5e at 4");
});

test("another list, or another question, is what it is", () => {
  const asked = list("abcde", "1");
  for (const other of [
    list("abcde", "2"),
    list("bxdef", "1"),
    list("efghi", "1"),
    list("bcdef", "1", { question: "What else?" }),
    list("bcdef", "1", { details: "more" }),
    list("bcdef", "1", { layout: "line" }),
  ])
    assert.equal(scrolledTo(asked, other), other);
  const twice = list("aab", "1");
  assert.equal(scrolledTo(twice, list("abc", "1")).options[2]?.label, "c");
});

test("the ticks are those that are shown now", () => {
  const ticked = (labels: string, ticks: string): Dialog["options"] =>
    [...labels].map((label, index) => ({
      id: String(index + 1),
      label,
      effect: "other",
      checked: ticks[index] === "x",
    }));
  const submit = { id: "submit", label: "Submit (enter)", effect: "other" } as const;
  const asked = list("", "1", { layout: "choices", options: [...ticked("abcd", "x   "), submit] });
  const seen = list("", "2", { layout: "choices", options: [...ticked("bcde", " x x"), submit] });
  const { options, selected } = scrolledTo(asked, seen);
  assert.deepEqual(
    options.map(({ checked }) => checked),
    [true, false, true, false, undefined],
  );
  assert.equal(selected, "3");
});
