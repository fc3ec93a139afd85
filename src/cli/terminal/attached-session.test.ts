import assert from "node:assert/strict";
import { test } from "node:test";
import { desktopNotice, PipelinedInput } from "./attached-session.ts";
import { UnconfirmedInput } from "../../client/attachment.ts";
import { LecternError } from "../../core/errors.ts";

test("a notice is one OSC 777 and one OSC 9, with its text on one line", () => {
  assert.equal(
    desktopNotice({ title: "files needs you; now", body: "Remove all files?\n  y; N" }),
    "\u001b]777;notify;files needs you, now;Remove all files? y; N\u0007\u001b]9;files needs you, now: Remove all files? y; N\u0007",
  );
  assert.equal(
    desktopNotice({ title: "A session needs you", body: "" }).split("\u0007")[1],
    "\u001b]9;A session needs you",
  );
});

test("nothing in the text ends the sequence, begins another one, or changes the order of characters", () => {
  const acting =
    "\u0007\u001b\\\u009c\u001b]52;c;b3duZWQ=\u0007\u009b31m\u0000\r\n\u0008\u007f\u202e\u2066\u{e0041}\ud800";
  const written = desktopNotice({ title: `a${acting}b`, body: `c${acting}d` });
  const text = "\\]52,c,b3duZWQ=31m ";
  const body = text.replaceAll(",", ";");
  assert.equal(written, `\u001b]777;notify;a${text}b;c${body}d\u0007\u001b]9;a${text}b: c${body}d\u0007`);
});

test("each part is at most 200 characters, and no character is cut in two", () => {
  const written = desktopNotice({ title: "🦊".repeat(150), body: `x${"🦊".repeat(150)}` });
  const [, , title = "", body = ""] = (written.split("\u0007")[0] ?? "").split(";");
  assert.deepEqual([title.length, body.length], [200, 199]);
  assert.doesNotMatch(body, /\p{Surrogate}/u);
});

/** Types one byte and gives its write to `answer`. Returns what is reported. */
async function reported(answer: (input: UnconfirmedInput, number: number) => void): Promise<string[]> {
  const unconfirmed = new UnconfirmedInput();
  const messages: string[] = [];
  const { number, confirmed } = unconfirmed.begin(1);
  const input = new PipelinedInput({ ended: undefined, write: () => confirmed }, (message) => messages.push(message));
  await input.type(Uint8Array.of(97));
  answer(unconfirmed, number);
  // The report comes in the same turn as the answer.
  await new Promise((resolve) => setImmediate(resolve));
  return messages;
}

for (const code of ["LIMIT_EXCEEDED", "DAEMON_UNREACHABLE"] as const) {
  test(`input that may have been typed or not is reported: ${code}`, async () => {
    const messages = await reported((input) => input.abandon(code, "no answer came"));
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", /^Cannot tell whether 1 bytes were typed: no answer came/);
  });
}

test("input that the server refused is not reported twice: it is an item of the attachment", async () => {
  const error = new LecternError("LIMIT_EXCEEDED", "the program does not read");
  assert.deepEqual(await reported((input, number) => input.refuse(number, error)), []);
});
