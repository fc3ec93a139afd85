import assert from "node:assert/strict";
import { test } from "node:test";
import { abandonReason } from "./abandoned-tag.ts";

test("abandonReason names the limit", () => {
  assert.equal(abandonReason("size", { tagBytesMax: 512 }), "it is larger than 512 bytes, the limit of the session");
  assert.equal(abandonReason("time", {}), "its end did not come within 30000 ms, the limit of the session");
  assert.match(abandonReason("nested", {}), /another tag starts inside of it/);
  assert.equal(abandonReason("end", { tagName: "E" }), 'the text ends before "</E>" was written');
  assert.match(abandonReason("end", {}, true), /longer than what is recorded/);
});
