import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval } from "../../core/dialogs/approval.ts";
import { screenTimes } from "../../core/screen/times.ts";
import { waits } from "../../core/waits.ts";
import { approvalDigest } from "./approval-digest.ts";
import { QuestionList } from "./question-list.ts";

const approval = (id: string): Approval => ({
  id,
  source: "wire",
  kind: "permission",
  agent: "claude",
  question: "Run it?",
  details: "ls",
  options: [
    { id: "1", label: "Yes", effect: "allow" },
    { id: "2", label: "Always", effect: "allow-always" },
    { id: "3", label: "No", effect: "deny" },
  ],
  ...noSubject,
  selected: null,
  isComplete: true,
  whyHint: null,
  offset: 0,
  timeUs: 0,
  state: "open",
  answer: null,
});

const digestIn = (questions: QuestionList, session: string): string => questions.list(session)[0]?.digest ?? "";

test("QuestionList refuses an answer to another question than was read, and the question stays", async () => {
  const questions = new QuestionList();
  const answers: string[] = [];
  const answer = ({ effect }: { effect: string }): void => void answers.push(effect);
  questions.open({ session: "s1", approval: approval("q1"), answer });
  const digest = digestIn(questions, "s1");
  const given = { session: "s1", id: "q1", option: "1", by: "anna", digest };
  for (const change of [
    { question: "Rune it?" },
    { details: "rm -rf ." },
    { kind: "trust" as const },
    { options: [] },
  ]) {
    questions.open({ session: "s1", approval: { ...approval("q1"), ...change }, answer });
    await assert.rejects(questions.answer(given), { code: "CONFLICT", message: /the question has changed/ });
  }
  // More of the arguments than is shown.
  questions.open({ session: "s1", approval: approval("q1"), argumentsHash: "ab", answer });
  await assert.rejects(questions.answer(given), { code: "CONFLICT" });
  assert.deepEqual(answers, []);
  // Where the mark stands and when it was asked is not part of the question.
  questions.open({ session: "s1", approval: { ...approval("q1"), selected: "3", timeUs: 9 }, answer });
  assert.equal(digestIn(questions, "s1"), digest);
  await questions.answer(given);
  assert.deepEqual(answers, ["allow"]);
  questions.open({ session: "s2", approval: approval("q1"), answer });
  assert.notEqual(digestIn(questions, "s2"), digest);
});

test("QuestionList gives an answer to whoever asked, once", async () => {
  const questions = new QuestionList();
  const answers: string[] = [];
  const answer = ({ effect }: { effect: string }, by: string): void => void answers.push(`${effect} by ${by}`);
  questions.open({ session: "s1", approval: approval("q1"), answer });
  questions.open({ session: "s2", approval: approval("q1"), answer });
  const given = { session: "s1", id: "q1", option: "deny", by: "anna", digest: digestIn(questions, "s1") };
  const answered = await questions.answer(given);
  assert.deepEqual([answered.state, answered.answer?.option, answered.answer?.by], ["answered", "3", "anna"]);
  await assert.rejects(questions.answer(given), { code: "NOT_FOUND" });
  await questions.answer({ ...given, session: "s2", option: "1", digest: digestIn(questions, "s2") });
  assert.deepEqual(answers, ["deny by anna", "allow by anna"]);
  assert.deepEqual(questions.list(), []);
});

test("QuestionList keeps a question whose answer was none of its options", async () => {
  const questions = new QuestionList();
  questions.open({ session: "s1", approval: approval("q1"), answer: () => assert.fail("answered") });
  await assert.rejects(
    questions.answer({ session: "s1", id: "q1", option: "perhaps", by: "anna", digest: digestIn(questions, "s1") }),
    {
      code: "INVALID_INPUT",
      message: 'Cannot answer with "perhaps": wanted one of "1" (Yes), "2" (Always), "3" (No)',
    },
  );
  assert.deepEqual(
    questions.list("s1").map(({ id, session }) => [session, id]),
    [["s1", "q1"]],
  );
});

test("QuestionList tells who waits of each change", async () => {
  const questions = new QuestionList();
  const { signal } = new AbortController();
  const changed = questions.changed(signal);
  questions.open({ session: "s1", approval: approval("q1"), answer: () => undefined });
  assert.equal(await changed, true);
  assert.equal(await questions.changed(AbortSignal.abort()), false);
  const before = questions.version;
  assert.equal(questions.close("s1", "q1"), true);
  assert.equal(questions.close("s1", "q1"), false);
  assert.equal(questions.version, before + 1);
});

test("QuestionList lists the oldest question first, whichever session told of its own first", () => {
  const questions = new QuestionList();
  const asked = {
    q1: { session: "s2", timeUs: 3 },
    q2: { session: "s1", timeUs: 1 },
    q3: { session: "s2", timeUs: 2 },
  };
  for (const [id, { session, timeUs }] of Object.entries(asked))
    questions.open({ session, approval: { ...approval(id), timeUs }, answer: () => {} });
  const ids = (session?: string): string[] => questions.list(session).map(({ id }) => id);
  assert.deepEqual(
    [ids(), ids("s2")],
    [
      ["q2", "q3", "q1"],
      ["q3", "q1"],
    ],
  );
});

const onScreen = (id: string, command: string | null): Approval => ({ ...approval(id), source: "screen", command });
const allowed = { approval: "q1", call: "c1", argumentsText: JSON.stringify({ command: "npm test" }), by: "anna" };

/** The next change of a question that is so. */
async function changeOf(questions: QuestionList, isSo: () => boolean): Promise<void> {
  const { signal } = new AbortController();
  while (!isSo()) await questions.changed(signal);
}

test("QuestionList answers the dialog about an allowed call, once, and shows it if the program does not take the keys", async () => {
  using questions = new QuestionList();
  const given: string[] = [];
  let isTaken = true;
  questions.screens = {
    read: async () => {},
    answer: async (session, { approval: { id }, by, option }) => {
      given.push(`${session} ${id} ${option} ${by}`);
      if (!isTaken) throw new Error("not taken");
      questions.report(session, { ...onScreen(id, "npm test"), state: "answered" });
      await Promise.resolve();
    },
  };
  questions.allowedCalls.add("s1", allowed);
  const shown: string[] = [];
  using _ = questions.subscribe(() => shown.push(...questions.list("s1").map(({ id }) => id)));
  questions.report("s1", onScreen("a1", "npm test"));
  await changeOf(questions, () => questions.find("s1", "a1")?.state === "answered");
  assert.deepEqual([given, shown], [["s1 a1 1 anna, as q1"], []]);

  isTaken = false;
  questions.allowedCalls.add("s1", allowed);
  questions.report("s1", onScreen("a2", "npm test"));
  await changeOf(questions, () => questions.list("s1").length > 0);
  assert.deepEqual(shown, ["a2"]);
});

test("QuestionList holds a dialog that may be about an allowed call until it is painted", async () => {
  using questions = new QuestionList();
  questions.allowedCalls.add("s1", allowed);
  questions.report("s1", onScreen("a1", null));
  assert.deepEqual([questions.list("s1"), questions.onScreen("s1").map(({ id }) => id)], [[], ["a1"]]);
  await changeOf(questions, () => questions.list("s1").length > 0);
  questions.report("s1", { ...onScreen("a1", null), state: "gone" });
  assert.deepEqual([questions.list("s1"), questions.find("s1", "a1")?.state], [[], "gone"]);
});

test("QuestionList gives a question on a screen to the first of two answers, and shows it again if it was not taken", async () => {
  using questions = new QuestionList();
  const taken = Promise.withResolvers<void>();
  questions.screens = { read: async () => {}, answer: async () => await taken.promise };
  questions.report("s1", onScreen("a1", "ls"));
  const given = { session: "s1", id: "a1", option: "1", by: "anna", digest: digestIn(questions, "s1") };
  const first = questions.answer(given);
  await assert.rejects(questions.answer({ ...given, option: "3" }), { code: "NOT_FOUND" });
  taken.reject(new Error("not taken"));
  await assert.rejects(first, { message: "not taken" });
  assert.equal(questions.list("s1").length, 1);
});

test("whoever answers a question of an earlier daemon waits for its screen, however long that takes, and for no other", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const questions = new QuestionList();
  const isRead = Promise.withResolvers<void>();
  const reads: string[] = [];
  const read = async (session: string): Promise<void> => {
    reads.push(session);
    await (session === "s1" ? isRead.promise : new Promise(() => undefined));
  };
  const answered: string[] = [];
  questions.screens = { read, answer: async (session) => void answered.push(session) };
  questions.restore(["s1", "stuck"]);
  const asked = { ...approval("q1"), source: "screen" as const };
  const digest = approvalDigest(asked, { session: "s1" });
  const answer = questions.answer({ session: "s1", id: "q1", option: "1", by: "anna", digest });
  // Whoever lists all questions waits no longer for one screen.
  t.mock.timers.tick(waits.partMs);
  await questions.restored();
  assert.deepEqual(questions.list(), []);
  isRead.resolve();
  await new Promise(setImmediate);
  t.mock.timers.tick(screenTimes.paintMs);
  questions.report("s1", asked);
  await answer;
  assert.deepEqual(answered, ["s1"]);
  const found = questions.current("s1").then(() => questions.find("s1", "q1")?.state);
  assert.equal(await found, "open");
  assert.deepEqual(reads, ["s1", "stuck", "s1", "s1"]);
});
