import assert from "node:assert/strict";
import { test } from "node:test";
import { Typing } from "./typing.ts";
import { unansweredAfter, type Unanswered } from "./unanswered.ts";

const before: Unanswered = { text: "before", offset: 1, timeUs: 1 };
const after = (keys: string, isAgent = true): string | undefined => {
  const { lines } = new Typing().input(new TextEncoder().encode(keys), { isSecret: false, isAgent });
  return unansweredAfter(before, { lines, offset: 3, timeUs: 7 }, isAgent)?.text;
};

test("Enter on a text sends it; on nothing, or on a command to the agent itself, it sends nothing", () => {
  assert.deepEqual(
    ["hello\r", "two\nlines\r", "x\u001B[200~ a\rb\u001B[201~\r"].map((keys) => after(keys)),
    ["hello", "two\nlines", "x a\nb"],
  );
  assert.deepEqual(
    ["\r", "  \r", "/clear\r", "x\u007F\r", "no\u0003\r", "open"].map((keys) => after(keys)),
    Array.from({ length: 6 }, () => "before"),
  );
  assert.equal(after("/bin/ls\r", false), "/bin/ls");
});
