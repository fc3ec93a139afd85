/** A session that keeps about 1 MiB of what it printed, and its readers. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const MIB = 1024 * 1024;

function bytesOnDisk(directory: string): number {
  const segments = readdirSync(directory).filter((name) => name.endsWith("seg"));
  // One may be removed just now.
  const sizeOf = (name: string): number => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return segments.reduce((sum, name) => sum + sizeOf(name), 0);
}

test("a session with --retain-bytes 1M keeps about 1 MiB; logs, attach and export read it and say what is missing", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "ring", "--retain-bytes", "1M", "--", "bash", "--norc", "--noprofile");
  // A command whose output is longer than what the journal keeps.
  const ran = await home.client.call("sessions.exec", { session: "ring", command: "seq 1000000" });
  assert.match(ran.output, /\n999999\n1000000\n/);
  // On a busy machine some of it, and the mark with the exit code, may be gone before it was read.
  assert.equal(ran.exitCode, ran.exact ? 0 : null);
  assert.ok(ran.ended && ran.omitted !== null);
  const ring = async () => await home.client.call("sessions.get", { session: "ring" });
  let { id, start } = await ring();
  // The oldest segments are removed a moment after the newest was begun.
  await until(() => bytesOnDisk(join(home.paths.sessionsDirectory, id)) < 1.75 * MIB, "the oldest are removed");
  const kept = bytesOnDisk(join(home.paths.sessionsDirectory, id));
  assert.ok(kept > 0.5 * MIB, `${kept} bytes`);

  let logs = await home.run(["logs", "ring"]);
  for (let now = await ring(); now.start !== start; now = await ring()) {
    ({ start } = now);
    logs = await home.run(["logs", "ring"]);
  }
  assert.match(logs.stderr, new RegExp(`missing, offsets 0 to ${start}`));
  assert.match(logs.stdout, /\n999999\n1000000\n/);
  assert.match((await home.run(["export", "ring"])).stdout, /"m", "gap \{.*trimmed/);
  await using attachment = await home.client.attach("ring", { from: 0, lossless: true });
  for await (const item of attachment) {
    if (item.type !== "gap") continue;
    assert.deepEqual([item.next, item.reason], [start, "trimmed"]);
    break;
  }
});
