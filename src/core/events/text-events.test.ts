import assert from "node:assert/strict";
import { test } from "node:test";
import { TextEvents, type TextEventsOptions } from "./text-events.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const at = { offset: 0, timeMs: 0 };

/** Events as `name trust payload`, and what people read. */
function read(text: string, options?: TextEventsOptions): { readonly events: string[]; readonly text: string } {
  const events = new TextEvents(options);
  const outputs = [events.feed(bytes(text), at), events.end()];
  return {
    events: outputs.flatMap((output) =>
      output.events.map(
        (event) => `${event.name} ${event.trust} ${event.valid ? JSON.stringify(event.payload) : event.error.code}`,
      ),
    ),
    text: Buffer.concat(outputs.flatMap((output) => output.text)).toString("utf8"),
  };
}

test("TextEvents gives the events of a plain program, and its text without them", () => {
  const output = read(
    'working\r\n<FORGE_EVENT name="PLAN">{"n":1}</FORGE_EVENT>\r\n<FORGE_EVENT name="DONE">{oops}</FORGE_EVENT>\r\nbye\r\n',
    { trust: "text" },
  );
  assert.deepEqual(output, { events: ['PLAN text {"n":1}', "DONE text malformed-json"], text: "working\r\nbye\r\n" });
});

test("TextEvents trusts nothing by default, and more with the nonce, which it does not pass on", () => {
  const tags = '<FORGE_EVENT name="A" nonce="s3">1</FORGE_EVENT><FORGE_EVENT name="B" nonce="x">2</FORGE_EVENT>';
  assert.deepEqual(read(tags, { nonce: "s3" }).events, ["A nonce 1", "B unverified 2"]);
  const [event] = new TextEvents({ nonce: "s3" }).feed(bytes(tags), at).events;
  assert.deepEqual(event?.attributes, {});
  assert.equal(event?.id, "text:0");
});

test("TextEvents reports an abandoned tag and gives its text back", () => {
  const events = new TextEvents({ tagMsMax: 10 });
  events.feed(bytes('<FORGE_EVENT name="A">{'), at);
  const output = events.tick(11);
  assert.deepEqual(output.abandoned, [
    { type: "tag-abandoned", offset: 0, end: output.text[0]?.length, name: "A", reason: "time" },
  ]);
  assert.equal(Buffer.concat(output.text).toString(), '<FORGE_EVENT name="A">{');
});
