import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceParent } from "./trace-parent.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const span = "b7ad6b7169203331";

test("a traceparent is read, and one that is not valid is null", () => {
  assert.deepEqual(readTraceParent(`00-${trace}-${span}-01`), { traceId: trace, spanId: span });
  assert.deepEqual(readTraceParent(`01-${trace}-${span}-01-later`), { traceId: trace, spanId: span });
  const wrong = [
    undefined,
    "",
    `ff-${trace}-${span}-01`,
    `00-${trace}-${span}-01-x`,
    `00-${"0".repeat(32)}-${span}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
  ];
  for (const text of wrong) assert.equal(readTraceParent(text), null, String(text));
});
