import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval } from "../../core/dialogs/approval.ts";
import { ApprovalBook } from "../approvals/approval-book.ts";
import { untilListed } from "./until-listed.ts";

const session = "s1";
const question = (id: string): Approval => ({
  ...noSubject,
  id,
  source: "screen",
  kind: "question",
  agent: null,
  question: "Go on?",
  details: "",
  options: [],
  isComplete: true,
  selected: null,
  offset: 0,
  timeUs: 0,
  state: "open",
  whyHint: null,
  answer: null,
});

const open = (book: ApprovalBook, id: string): void =>
  book.open({ session, approval: question(id), answer: () => undefined });

test("a question that is not listed yet is waited for, whatever else is listed before", async () => {
  const book = new ApprovalBook();
  const mayCome = async () => await Promise.resolve(true);
  const waiting = untilListed(book, { session, approval: "q2", mayCome, listedMsMax: 60_000 });
  open(book, "q1");
  setImmediate(() => open(book, "q2"));
  await waiting;
  assert.deepEqual(
    book.list(session).map(({ id }) => id),
    ["q1", "q2"],
  );
  await untilListed(book, { session, approval: "q2", mayCome: () => Promise.reject(new Error("asked in vain")) });
});

test("one that has ended is not waited for, and one that does not come only for a time", async () => {
  const book = new ApprovalBook();
  let may = true;
  const mayCome = async () => await Promise.resolve(may);
  const waiting = untilListed(book, { session, approval: "q2", mayCome, listedMsMax: 60_000 });
  may = false;
  open(book, "q1");
  await waiting;
  may = true;
  await untilListed(book, { session, approval: "q2", mayCome, listedMsMax: 1 });
});
