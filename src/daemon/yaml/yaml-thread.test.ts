import assert from "node:assert/strict";
import { test } from "node:test";
import { readPolicy } from "./read-policy.ts";
import { YamlThread } from "./yaml-thread.ts";

const policy = 'version: 1\nrules:\n  - { id: no-rm, effect: deny, command: "rm **", reason: never }\n';

test("a policy that was read in a thread has the places of its rules", async () => {
  const read = await new YamlThread().run("policy", policy);
  assert.ok(read.ok);
  assert.equal(read.data.rules?.[0]?.id, "no-rm");
  assert.deepEqual(read.places.get('["rules",0]'), { line: 3, column: 5 });
});

test("the problems of a text are a result", async () => {
  const checked = await new YamlThread().run("policy.check", "version: 1\nrulse: []");
  assert.deepEqual(
    checked.problems.map(({ line, message }) => `${line} ${message}`),
    ['2 Unknown key "rulse": did you mean "rules"?'],
  );
});

test(
  "a text that takes more processor time than the limit is refused, and the next one is read",
  { timeout: 60_000 },
  async () => {
    const hung = new URL("data:text/javascript,for (let turns = 0; turns >= 0;) turns += 1;");
    await assert.rejects(new YamlThread({ cpuMsMax: 20, entry: hung }).run("policy", policy), {
      code: "LIMIT_EXCEEDED",
    });
  },
);

test("texts that wait are counted", async () => {
  const thread = new YamlThread({ waitingMax: 1 });
  const first = thread.run("policy", policy);
  await assert.rejects(thread.run("policy", policy), { code: "LIMIT_EXCEEDED" });
  assert.ok((await first).ok);
  assert.ok((await thread.run("policy", policy)).ok);
});

test("one text is read once for several sessions", async () => {
  const long = `${policy}# ${"x".repeat(2000)}\n`;
  assert.equal(readPolicy(long), readPolicy(long));
  assert.ok((await readPolicy(long)).ok);
});
