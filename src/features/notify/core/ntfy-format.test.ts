import assert from "node:assert/strict";
import { test } from "node:test";
import { testNotice, type OutgoingNotice } from "./notice.ts";
import { ntfyRequest } from "./ntfy-format.ts";

const option = {
  id: "1",
  label: "Ja, löschen",
  effect: "allow",
  answerUrl: "https://x.example/v1/answers/t1",
} as const;
const notice: OutgoingNotice = {
  ...testNotice("box", 1000),
  kind: "blocked",
  priority: 4,
  id: "msg_1",
  url: "https://x.example/",
  question: { id: "q", text: "?", details: "", isWhole: true, options: [option, { ...option, answerUrl: null }] },
};

test("a notice has the headers of ntfy, and a button for each option with a link", () => {
  const { headers } = ntfyRequest(notice);
  assert.equal(headers["Priority"], "4");
  assert.equal(headers["Click"], "https://x.example/");
  assert.match(headers["Actions"] ?? "", /^[ -~]+$/);
  assert.deepEqual(JSON.parse(headers["Actions"] ?? ""), [
    { action: "http", label: "Ja, löschen", url: option.answerUrl, method: "POST", clear: true },
  ]);
});

test("ntfy takes three buttons and 4096 bytes", () => {
  const question = notice.question && { ...notice.question, options: [option, option, option, option] };
  const { body, headers } = ntfyRequest({ ...notice, question, body: "ü".repeat(4000) });
  assert.equal((JSON.parse(headers["Actions"] ?? "") as unknown[]).length, 3);
  assert.ok(Buffer.byteLength(body) <= 4096);
  assert.match(body, /^ü+…$/);
});

test("an empty body is the title, so that ntfy does not write its own", () => {
  assert.equal(ntfyRequest({ ...notice, body: "" }).body, notice.title);
});
