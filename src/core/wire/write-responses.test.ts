import assert from "node:assert/strict";
import { test } from "node:test";
import { responsesStream } from "./write-responses.ts";

test("responsesStream numbers its events and says incomplete at the length limit", () => {
  const turn = { id: "x", model: "m", text: "hi", toolCalls: [], finish: "length" as const };
  const events = responsesStream(turn, { opened: true, nextIndex: 0, nextSequence: 7 });
  const numbers = events.map((event) => (JSON.parse(event.data ?? "") as { sequence_number: number }).sequence_number);
  assert.deepEqual(
    numbers,
    events.map((_, index) => index + 7),
  );
  assert.equal(events.at(-1)?.event, "response.incomplete");
});
