import assert from "node:assert/strict";
import { test } from "node:test";
import { hasForeignLine, withoutByteOrderMark } from "./event-lines.ts";

const isForeign = (text: string): boolean => hasForeignLine(new TextEncoder().encode(text));

test("hasForeignLine knows the lines of an event stream, whatever their data is", () => {
  const known = [
    'event: message_start\ndata: {"a":"ä\u2028\u0085"}\n\n',
    "data:x\rid: 1\r\nretry: 10\n\n",
    ": OPENROUTER PROCESSING\n\n",
    ":\n\n",
    "\n",
    "\r\n",
    "data\n\n",
    "event\n\n",
  ];
  for (const text of known) assert.ok(!isForeign(text), JSON.stringify(text));
});

test("hasForeignLine finds lines that some readers skip and some read", () => {
  const foreign = [
    " data: {}\n\n",
    "\u{feff}data: {}\n\n",
    "Data: {}\n\n",
    "datax: {}\n\n",
    '{"choices":[]}\n\n',
    ": comment\u000bdata: {}\n\n",
    ": comment\u2028data: {}\n\n",
    "id: 1\u0085data: {}\n\n",
    "event: ping\u001edata: {}\ndata: {}\n\n",
    "data: {}\r data: {}\n\n",
    "<html>",
  ];
  for (const text of foreign) assert.ok(isForeign(text), JSON.stringify(text));
});

test("withoutByteOrderMark takes one away", () => {
  const bytes = new TextEncoder().encode("\u{feff}\u{feff}a");
  assert.equal(withoutByteOrderMark(bytes).length, 4);
  assert.equal(withoutByteOrderMark(bytes.subarray(6)).length, 1);
});
