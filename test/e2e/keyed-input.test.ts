/** Input with a key is typed once, whenever the daemon is killed: before it sends, before it hears, before it answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { roundsOf } from "../support/variants.ts";
import { gone, SharedHome, type CliHome } from "./cli-home.ts";

const ROUNDS = roundsOf(2, 6);

const shared = new SharedHome();

test("kill -9 of the daemon in the middle of keyed inputs neither loses nor doubles one", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--exec", "--", "cat");
  const typed: string[] = [];
  let alreadyTyped = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const keys = Array.from({ length: 8 }, (_, index) => `${round}-${index}`);
    const send = (key: string) =>
      home.client.call("sessions.input", { session: "a", text: `<${key}>`, enter: true, key });
    const { pid = 0 } = (await home.info()) ?? {};
    // All are on their way when the daemon dies: some typed and answered, some typed only, some neither.
    const first = keys.map((key) => send(key).then(Boolean, () => false));
    if (round > 0) await first[round];
    process.kill(pid, "SIGKILL");
    await Promise.all(first);
    await gone(pid);
    await home.ok("ls");
    for (const key of keys) if ((await send(key)).already === true) alreadyTyped += 1;
    typed.push(...keys.map((key) => `<${key}>`));
  }
  const { records } = await readAll(home);
  const inputs = records.filter(({ type }) => type === "input");
  assert.equal(inputs.length, typed.length);
  for (const [index, { type }] of records.entries()) {
    if (type !== "input") continue;
    assert.equal((records[index - 1]?.["event"] as { type: string } | undefined)?.type, "input-key");
  }
  await home.ok("wait", "a", "--for", `output:<${ROUNDS - 1}-7>`, "--from", "0");
  const output = await home.ok("logs", "a", "--raw");
  assert.deepEqual((output.match(/<\d+-\d+>/g) ?? []).toSorted(), typed.toSorted());
  assert.ok(alreadyTyped > 0 && alreadyTyped < typed.length, `${alreadyTyped} of ${typed.length} were typed before`);
});

async function readAll(home: CliHome): Promise<{ records: { type: string; [field: string]: unknown }[] }> {
  const lines = (await home.ok("logs", "a", "--json")).trimEnd().split("\n");
  return { records: lines.map((line) => JSON.parse(line) as { type: string }) };
}
