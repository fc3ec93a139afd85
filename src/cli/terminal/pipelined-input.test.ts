import assert from "node:assert/strict";
import { test } from "node:test";
import { UnconfirmedInput } from "../../client/unconfirmed-input.ts";
import { LecternError } from "../../core/errors.ts";
import { PipelinedInput } from "./pipelined-input.ts";

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
