import assert from "node:assert/strict";
import { test } from "node:test";
import { requestText } from "../acp/acp-answer.ts";
import type { Approval } from "../dialogs/approval.ts";
import { Observer } from "../observe/observer.ts";
import type { Step } from "../observe/step.ts";
import type { SessionEvent } from "../records.ts";
import { protocolApprovals } from "./protocol-approval.ts";

const at = { offset: 5, timeUs: 50 };
const marked = (event: SessionEvent): Step => ({ type: "mark", event, end: 6, ...at });
const said = (stream: "client" | "agent", message: object): Step =>
  marked({ type: "protocol", stream, text: `${JSON.stringify(message)}\n` });
const askedMessage = {
  id: 0,
  method: "session/request_permission",
  params: {
    toolCall: { toolCallId: "c1", title: "touch a", kind: "execute", rawInput: { command: "touch a" } },
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "edit", name: "Allow edits", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
      { optionId: "mode", name: "Plan", kind: "of_a_later_version" },
    ],
  },
};
const asked = said("agent", askedMessage);
const answer = said("client", { id: 0, result: { outcome: { outcome: "selected", optionId: "no" } } });

function approvalsOf(...steps: readonly Step[]): Approval[] {
  const observer = new Observer();
  return steps.flatMap((step) => {
    const observation = observer.step(step);
    return observation === null ? [] : protocolApprovals(observation);
  });
}

test("a question has the agent's own options, by their ids, and the command that would run", () => {
  const [approval = assert.fail()] = approvalsOf(asked);
  const { command, options, question, request, source, state } = approval;
  assert.deepEqual(
    { command, question, request, source, state },
    {
      command: "touch a",
      question: "touch a",
      request: requestText(askedMessage),
      source: "protocol",
      state: "open",
    },
  );
  assert.deepEqual(
    options.map(({ effect, id }) => `${id} ${effect}`),
    ["once allow", "edit allow-always", "no deny", "mode other"],
  );
});

test("an answer is that of the editor, unless somebody answered through Lectern; the end of the program withdraws", () => {
  const [open, answered] = approvalsOf(asked, answer);
  assert.equal(answered?.id, open?.id);
  assert.deepEqual(answered?.answer, { option: "no", by: "editor", timeUs: 50 });
  const id = open?.id ?? assert.fail();
  const mark = marked({ type: "approval-answer", approval: id, option: "no", by: "anna" });
  assert.equal(approvalsOf(asked, mark, answer)[1]?.answer?.by, "anna");
  const exit: Step = { type: "exit", code: 0, signal: null, ...at };
  assert.deepEqual(
    approvalsOf(asked, exit).map(({ state }) => state),
    ["open", "gone"],
  );
});
