import assert from "node:assert/strict";
import { test } from "node:test";
import { replyRules, ruleFor, type TerminalQuestion } from "./replies.ts";
import { Screen } from "./screen.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function answerTo(question: string): string {
  const screen = new Screen({ columns: 80, rows: 24 });
  return new TextDecoder().decode(screen.feed(encode(`ab\r\ncd${question}`)));
}

/** Parameters with which programs ask, for rules that take any. */
const parameters: Readonly<Record<string, number>> = { n: 6, "?n": 996, "?$p": 2026, $p: 4 };

function exampleOf(question: TerminalQuestion): string {
  if (question.kind === "osc") return `\u001B]${question.command};${question.data}\u001B\\`;
  if (question.kind === "dcs") return `\u001BP${question.intermediates}${question.final}m\u001B\\`;
  const { final, first, intermediates = "", prefix = "" } = question;
  return `\u001B[${prefix}${first ?? parameters[prefix + intermediates + final] ?? ""}${intermediates}${final}`;
}

test("each rule decides its own question", () => {
  for (const { answer, name, question } of replyRules) {
    const given = answerTo(exampleOf(question));
    assert.equal(given !== "", answer.by !== "silent", name);
    if (answer.by === "fixed") assert.equal(given, answer.reply, name);
  }
});

test("position, attributes and modes are answered as they are", () => {
  assert.equal(answerTo("\u001B[6n"), "\u001B[2;3R");
  assert.equal(answerTo("\u001B[?6n"), "\u001B[?2;3R");
  assert.equal(answerTo("\u001B[5n"), "\u001B[0n");
  assert.equal(answerTo("\u001B[c"), "\u001B[?1;2c");
  assert.equal(answerTo("\u001B[?2026$p"), "\u001B[?2026;2$y");
  assert.equal(answerTo("\u001B[?2026h\u001B[?2026$p"), "\u001B[?2026;1$y");
});

test("the program status protocol is answered with the bytes of its question", () => {
  assert.equal(answerTo("\u001B]7501;?\u001B\\"), "\u001B]7501;?\u001B\\");
  assert.equal(answerTo("\u001B]7501;state=working:app=x\u001B\\"), "");
});

test("nothing of the output comes back as input", () => {
  for (const attack of [
    "\u001B]2;;rm -rf ~\n\u0007\u001B[21t",
    "\u001BP$q;rm -rf ~\n\u001B\\",
    "\u001BP+q726d\u001B\\",
    "\u001B]52;c;?\u0007",
    "\u001B]10;rm\u0007",
    "\u0005",
  ]) {
    assert.doesNotMatch(answerTo(attack), /rm|726d/);
  }
  assert.equal(answerTo("\u001BPrm$qx\u001B\\").includes("rm"), false);
});

test("several questions are answered in their order", () => {
  assert.equal(answerTo("\u001B[c\u001B]7501;?\u001B\\\u001B[5n"), "\u001B[?1;2c\u001B]7501;?\u001B\\\u001B[0n");
});

test("questions are still answered after a full reset", () => {
  assert.equal(answerTo("\u001Bc\u001B]7501;?\u001B\\\u001B[5n"), "\u001B]7501;?\u001B\\\u001B[0n");
});

test("ruleFor finds no rule for what nobody listed", () => {
  assert.equal(ruleFor({ kind: "osc", command: 12, data: "?" }), undefined);
  assert.equal(ruleFor({ kind: "csi", prefix: ">", final: "x" }), undefined);
  assert.equal(ruleFor({ kind: "dcs", intermediates: "=", final: "q" }), undefined);
});
