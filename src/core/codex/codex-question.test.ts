import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMAND_APPROVAL, FILE_APPROVAL, keptMessage, type CodexMessage } from "./codex-messages.ts";
import { codexDecision, codexQuestion } from "./codex-question.ts";

const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["/bin/bash", "-lc", "make test"] } };
const asked: CodexMessage = {
  id: 3,
  method: COMMAND_APPROVAL,
  params: { command: "/usr/bin/zsh -lc 'make test'", availableDecisions: ["accept", amendment, "later", "cancel"] },
};

test("each option is a decision of the server, under the number that the terminal shows", () => {
  const question = codexQuestion(asked, null);
  assert.deepEqual(
    question?.options.map(({ id, kind }) => [id, kind]),
    [
      ["1", "allow_once"],
      ["2", "allow_always"],
      ["3", ""],
      ["4", "reject_once"],
    ],
  );
  assert.match(question?.options[1]?.label ?? "", /that start with `make test`$/);
  assert.deepEqual(codexDecision(asked, "2"), amendment);
  assert.equal(codexDecision(asked, "4"), "cancel");
  for (const option of ["0", "5", "x", "", "length"]) assert.equal(codexDecision(asked, option), undefined, option);
});

test("what only the terminal can answer is no question", () => {
  assert.equal(codexQuestion({ ...asked, method: "item/tool/requestUserInput" }, null), null);
  assert.equal(codexQuestion({ ...asked, params: { networkApprovalContext: { host: "example.com" } } }, null), null);
  assert.equal(codexQuestion({ method: FILE_APPROVAL, params: {} }, null), null);
  const long = keptMessage({ ...asked, params: { ...asked.params, command: `echo ${"x".repeat(9000)}; rm -rf .` } });
  assert.equal(long?.isCut, true);
  assert.equal(codexQuestion(long, null), null);
});
