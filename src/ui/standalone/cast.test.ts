import assert from "node:assert/strict";
import { test } from "node:test";
import { recordsOfCast } from "./cast.ts";

test("recordsOfCast gives sizes and output with their times, and leaves out what it does not know", () => {
  const cast = `{"version":2,"width":100,"height":30}
[0.5,"o","hé"]
[1,"i","x"]
[1.5,"r","80x24"]
broken
[2,"o","!"]
`;
  assert.deepEqual(
    recordsOfCast(cast).map((record) =>
      record.type === "output"
        ? [record.offset, record.timeUs, new TextDecoder().decode(record.bytes)]
        : [record.offset, record.timeUs, record.type],
    ),
    [
      [0, 0, "resize"],
      [1, 500_000, "hé"],
      [4, 1_500_000, "resize"],
      [5, 2_000_000, "!"],
    ],
  );
});
