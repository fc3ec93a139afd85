import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { pairRecord, type RecordedMessage, type ScreenMessage, likeness, shareWithin } from "./record-pairing.ts";

const SECOND_US = 1_000_000;

const shown = (id: string, text: string, second: number, role: ScreenMessage["role"] = "user"): ScreenMessage => ({
  id,
  role,
  text,
  timeUs: second * SECOND_US,
  endTimeUs: (second + 1) * SECOND_US,
  isIncomplete: false,
});

const recorded = (
  text: string,
  second: number | null,
  role: RecordedMessage["role"] = "user",
  message: string | null = null,
): RecordedMessage => ({ role, text, timeUs: second === null ? null : second * SECOND_US, message });

test("messages are paired in their order, also where all say the same", () => {
  const screen = [shown("m1", "go on", 1), shown("m2", "go on", 60), shown("m3", "go on", 120)];
  const record = [recorded("go on", 1), recorded("go on", 59), recorded("go on", 121)];
  assert.deepEqual(pairRecord(screen, record), [
    [0, 0],
    [1, 1],
    [2, 2],
  ]);
});

test("of equal prompts the one that the screen lost is told by the time", () => {
  const screen = [shown("m1", "go on", 1), shown("m3", "go on", 120)];
  const record = [recorded("go on", 1), recorded("go on", 60), recorded("go on", 121)];
  assert.deepEqual(pairRecord(screen, record), [
    [0, 0],
    [1, 2],
  ]);
});

test("another role, or other words, is another message", () => {
  assert.deepEqual(pairRecord([shown("m1", "a b c", 1)], [recorded("a b c", 1, "assistant")]), []);
  assert.deepEqual(pairRecord([shown("m1", "one two three", 1)], [recorded("four five six", 1)]), []);
});

test("markup and wraps are no other words", () => {
  const screen = [shown("m1", "The list\n• first point\n• second\npoint", 3, "assistant")];
  assert.deepEqual(pairRecord(screen, [recorded("# The list\n- **first** point\n- `second` point", 3, "assistant")]), [
    [0, 0],
  ]);
});

test("a message of which parts are missing is found by those that are there", () => {
  const part = { ...shown("m1", "the third line of it", 3, "assistant"), isIncomplete: true };
  const whole = `${"words that were never shown ".repeat(20)} the third line of it`;
  assert.deepEqual(pairRecord([part], [recorded(whole, 3, "assistant")]), [[0, 0]]);
});

test("pairs that are known bound the others", () => {
  const screen = [shown("m1", "yes", 1), shown("m2", "no", 2), shown("m3", "yes", 3)];
  const record = [recorded("no", 2, "user", "m2"), recorded("yes", 2)];
  assert.deepEqual(pairRecord(screen, record), [[2, 1]]);
});

test("far apart in time, only the same words are one message", () => {
  assert.deepEqual(pairRecord([shown("m1", "the same words", 1)], [recorded("the same words", 300)]), [[0, 0]]);
  const other = recorded("the same words and some others", 300);
  assert.deepEqual(pairRecord([shown("m1", "the same words", 1)], [other]), []);
});

test("without a time the order decides", () => {
  const screen = [shown("m1", "a", 1), shown("m2", "b", 50)];
  assert.deepEqual(pairRecord(screen, [recorded("a", null), recorded("b", null)]), [
    [0, 0],
    [1, 1],
  ]);
});

const roles = ["user", "assistant"] as const;
const history = fc.array(
  fc.record({
    gap: fc.integer({ min: 4, max: 90 }),
    word: fc.constantFrom("go on", "again please", "ok", "run the tests now"),
    role: fc.constantFrom(...roles),
    isLost: fc.nat({ max: 9 }),
    isUnrecorded: fc.nat({ max: 19 }),
    jitterMs: fc.integer({ min: -900, max: 900 }),
  }),
  { minLength: 1, maxLength: 40 },
);

/** What was said, as both sides have it; `truth` has the place on the screen of each recorded message, or -1. */
function sidesOf(said: typeof history extends fc.Arbitrary<infer Said> ? Said : never) {
  const screen: ScreenMessage[] = [];
  const record: RecordedMessage[] = [];
  const truth: number[] = [];
  let second = 0;
  for (const [index, { gap, word, role, isLost, isUnrecorded, jitterMs }] of said.entries()) {
    second += gap;
    const isShown = isLost !== 0;
    if (isShown) screen.push(shown(`m${index}`, word, second, role));
    if (isUnrecorded === 0) continue;
    record.push(recorded(word, second + jitterMs / 1000, role));
    truth.push(isShown ? screen.length - 1 : -1);
  }
  return { screen, record, truth };
}

test("property: pairs keep both orders and the role, and nothing is paired twice", () => {
  fc.assert(
    fc.property(history, (said) => {
      const { screen, record } = sidesOf(said);
      let [lastShown, lastRecorded] = [-1, -1];
      for (const [one, other] of pairRecord(screen, record)) {
        assert.ok(one > lastShown && other > lastRecorded);
        assert.equal(screen[one]?.role, record[other]?.role);
        [lastShown, lastRecorded] = [one, other];
      }
    }),
  );
});

test("property: a pair never shows other words, and repeats with one in ten lost are paired with their own", () => {
  let right = 0;
  let all = 0;
  fc.assert(
    fc.property(history, (said) => {
      const { screen, record, truth } = sidesOf(said);
      const found = new Map(pairRecord(screen, record).map(([one, other]) => [other, one]));
      for (const [index, place] of truth.entries()) {
        const got = found.get(index) ?? -1;
        if (got !== -1) assert.equal(screen[got]?.text, record[index]?.text);
        all += 1;
        if (got === place) right += 1;
      }
    }),
    { seed: 37, numRuns: runsOf(300) },
  );
  assert.ok(right / all >= 0.95, `${right} of ${all}`);
});

test("property: known pairs stay, whatever comes later", () => {
  fc.assert(
    fc.property(history, fc.nat({ max: 39 }), (said, cut) => {
      const { screen, record } = sidesOf(said);
      const first = pairRecord(screen, record.slice(0, cut));
      const known = record.map((one, index) => {
        const pair = first.find(([, other]) => other === index);
        return { ...one, message: pair === undefined ? null : (screen[pair[0]]?.id ?? null) };
      });
      for (const [one, other] of pairRecord(screen, known)) {
        assert.ok(first.every(([before]) => before !== one));
        assert.equal(known[other]?.message, null);
      }
    }),
  );
});

test("the same words are alike, whatever stands between them", () => {
  assert.equal(likeness("one two three", "one two three"), 1);
  assert.equal(likeness("**one**  two\nthree", "one two three"), 1);
  assert.equal(likeness("one two three", "four five"), 0);
});

test("order counts, and so does what is missing", () => {
  assert.ok(likeness("one two three four", "four three two one") < 0.5);
  assert.ok(likeness("one two three four", "one two three") > 0.6);
});

test("scripts without spaces, and signs alone, are words as well", () => {
  assert.ok(likeness("你好世界", "你好世人") > 0.5);
  assert.equal(likeness("???", "???"), 1);
  assert.equal(likeness("???", "!!!"), 0);
  assert.equal(likeness("", ""), 1);
});

test("a part is within the whole, and the whole is not within the part", () => {
  const whole = "a long text of which only some words are shown";
  assert.ok(shareWithin("only some words", whole) >= 0.5);
  assert.ok(shareWithin(whole, "only some words") < 0.4);
});
