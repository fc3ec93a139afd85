/** Dialogs of a screen whose program also asks in a protocol. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Observed } from "../../../test/observed.ts";
import { frameOf } from "../../../test/frames.ts";
import { CODEX_SERVER, codexReports, COMMAND_APPROVAL } from "../codex/codex-messages.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { Step } from "../observe/step.ts";
import { ApprovalFold } from "./approval-fold.ts";

const dialog = (command: string, marked = 1): string =>
  `  Would you like to run the following command?\n\n  $ ${command}\n\n${["Yes (y)", "No (esc)"]
    .map((label, index) => `${index + 1 === marked ? "›" : " "} ${index + 1}. ${label}`)
    .join("\n")}\n\n  Press enter to confirm`;
const box = "• Done.\n\n› Ask Codex to do anything\n\n  ? for shortcuts";
const at = (milliseconds: number) => ({ offset: 0, timeUs: milliseconds * 1000 });
const shown = (text: string, milliseconds: number): Step => ({
  type: "frame",
  frame: { ...frameOf(text, { isCursorHidden: true, timeUs: milliseconds * 1000 }), offset: 0 },
});
const start: Step = { type: "start", command: ["codex"], ...at(0) };
const brief = ({ id, state, answer, selected, details }: Approval): string =>
  `${id} ${state} ${details} ${state === "open" ? `*${selected}` : `-> ${answer?.option ?? "?"}`}`;
const fold = (steps: readonly Step[]): string[] => {
  const approvals = new Observed(new ApprovalFold());
  return steps.flatMap((step) => approvals.step(step)).map(brief);
};

let facts = 0;
const served = (method: string, params: object, milliseconds: number, id?: number): Step => ({
  type: "mark",
  event: { type: "fact", source: CODEX_SERVER, id: String(++facts), payload: { id, method, params } },
  ...at(milliseconds),
  end: 0,
});
const connection = [
  start,
  served(codexReports.connected, {}, 10),
  served("thread/started", { thread: { id: "t", status: { type: "active", activeFlags: ["waitingOnApproval"] } } }, 20),
];
const request = (milliseconds: number): Step =>
  served(COMMAND_APPROVAL, { threadId: "t", command: "ls" }, milliseconds, 0);
const answered = (milliseconds: number): Step =>
  served("serverRequest/resolved", { threadId: "t", requestId: 0 }, milliseconds);

test("while a protocol asks, the screen asks nothing, and neither a moment before and after", () => {
  const shows = [shown(dialog("ls"), 200), request(700), shown(dialog("ls", 2), 800), answered(1500)];
  assert.deepEqual(fold([...connection, ...shows, shown(dialog("ls", 2), 1550), shown(box, 1600)]), []);
  const late = [...connection, shown(dialog("ls"), 200), { type: "tick", ...at(1300) } as const, request(1400)];
  assert.deepEqual(fold(late), ["a1 open $ ls *1", "a1 gone $ ls -> ?"]);
});

test("a dialog that the protocol does not ask is asked by the screen", () => {
  const shows = [shown(dialog("ls"), 200), { type: "tick", ...at(1300) } as const];
  assert.deepEqual(fold([...connection, ...shows]), ["a1 open $ ls *1"]);
  const after = [request(100), shown(dialog("ls"), 200), answered(300), shown(dialog("pwd"), 400)];
  assert.deepEqual(fold([...connection, ...after, { type: "tick", ...at(1500) }]), ["a1 open $ pwd *1"]);
  const lost = served(codexReports.lost, { reason: "gone" }, 150);
  assert.deepEqual(fold([...connection, lost, shown(dialog("ls"), 200)]), ["a1 open $ ls *1"]);
});
