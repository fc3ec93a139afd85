import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval } from "../../core/dialogs/approval.ts";
import { ApprovalBook } from "./approval-book.ts";

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

const digestIn = (book: ApprovalBook, session: string): string => book.list(session)[0]?.digest ?? "";

test("ApprovalBook refuses an answer to another question than was read, and the question stays", async () => {
  const book = new ApprovalBook();
  const answers: string[] = [];
  const answer = ({ effect }: { effect: string }): void => void answers.push(effect);
  book.open({ session: "s1", approval: approval("q1"), answer });
  const digest = digestIn(book, "s1");
  const given = { session: "s1", id: "q1", option: "1", by: "anna", digest };
  for (const change of [
    { question: "Rune it?" },
    { details: "rm -rf ." },
    { kind: "trust" as const },
    { options: [] },
  ]) {
    book.open({ session: "s1", approval: { ...approval("q1"), ...change }, answer });
    await assert.rejects(book.answer(given), { code: "CONFLICT", message: /the question has changed/ });
  }
  // More of the arguments than is shown.
  book.open({ session: "s1", approval: approval("q1"), argumentsHash: "ab", answer });
  await assert.rejects(book.answer(given), { code: "CONFLICT" });
  assert.deepEqual(answers, []);
  // Where the mark stands and when it was asked is not part of the question.
  book.open({ session: "s1", approval: { ...approval("q1"), selected: "3", timeUs: 9 }, answer });
  assert.equal(digestIn(book, "s1"), digest);
  await book.answer(given);
  assert.deepEqual(answers, ["allow"]);
  book.open({ session: "s2", approval: approval("q1"), answer });
  assert.notEqual(digestIn(book, "s2"), digest);
});

test("ApprovalBook gives an answer to whoever asked, once", async () => {
  const book = new ApprovalBook();
  const answers: string[] = [];
  const answer = ({ effect }: { effect: string }, by: string): void => void answers.push(`${effect} by ${by}`);
  book.open({ session: "s1", approval: approval("q1"), answer });
  book.open({ session: "s2", approval: approval("q1"), answer });
  const given = { session: "s1", id: "q1", option: "deny", by: "anna", digest: digestIn(book, "s1") };
  const answered = await book.answer(given);
  assert.deepEqual([answered.state, answered.answer?.option, answered.answer?.by], ["answered", "3", "anna"]);
  await assert.rejects(book.answer(given), { code: "NOT_FOUND" });
  await book.answer({ ...given, session: "s2", option: "1", digest: digestIn(book, "s2") });
  assert.deepEqual(answers, ["deny by anna", "allow by anna"]);
  assert.deepEqual(book.list(), []);
});

test("ApprovalBook keeps a question whose answer was none of its options", async () => {
  const book = new ApprovalBook();
  book.open({ session: "s1", approval: approval("q1"), answer: () => assert.fail("answered") });
  await assert.rejects(
    book.answer({ session: "s1", id: "q1", option: "perhaps", by: "anna", digest: digestIn(book, "s1") }),
    {
      code: "INVALID_INPUT",
      message: 'Cannot answer with "perhaps": wanted one of "1" (Yes), "2" (Always), "3" (No)',
    },
  );
  assert.deepEqual(
    book.list("s1").map(({ id, session }) => [session, id]),
    [["s1", "q1"]],
  );
});

test("ApprovalBook tells who waits of each change", async () => {
  const book = new ApprovalBook();
  const { signal } = new AbortController();
  const changed = book.changed(signal);
  book.open({ session: "s1", approval: approval("q1"), answer: () => undefined });
  assert.equal(await changed, true);
  assert.equal(await book.changed(AbortSignal.abort()), false);
  const before = book.version;
  assert.equal(book.close("s1", "q1"), true);
  assert.equal(book.close("s1", "q1"), false);
  assert.equal(book.version, before + 1);
});

test("ApprovalBook lists the oldest question first, whichever session told of its own first", () => {
  const book = new ApprovalBook();
  const asked = {
    q1: { session: "s2", timeUs: 3 },
    q2: { session: "s1", timeUs: 1 },
    q3: { session: "s2", timeUs: 2 },
  };
  for (const [id, { session, timeUs }] of Object.entries(asked))
    book.open({ session, approval: { ...approval(id), timeUs }, answer: () => {} });
  const ids = (session?: string): string[] => book.list(session).map(({ id }) => id);
  assert.deepEqual(
    [ids(), ids("s2")],
    [
      ["q2", "q3", "q1"],
      ["q3", "q1"],
    ],
  );
});
