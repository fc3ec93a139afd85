import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { TemporaryDaemon, until } from "../support/temporary-daemon.ts";

/** A small file system of its own; needs root, which the tests of a full disk cannot do without. */
function mountTiny(directory: string, sizeKib: number): Disposable & { resize(sizeKib: number): void } {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k,mode=0700`, "tmpfs", directory]);
  return {
    resize: (size) => execFileSync("mount", ["-o", `remount,size=${size}k`, directory]),
    [Symbol.dispose]: () => execFileSync("umount", ["--lazy", directory]),
  };
}

test("when the disk is full the program waits, the session says so, and nothing is lost when there is space again", async () => {
  await using daemon = await TemporaryDaemon.start();
  using disk = mountTiny(daemon.paths.sessionsDirectory, 1024);
  const full = await daemon.run(["seq", "400000"], { name: "full" });
  await until(
    async () => (await daemon.call("sessions.get", { session: full.id })).degraded !== null,
    "the session is degraded",
  );
  await assert.rejects(daemon.call("sessions.input", { session: full.id, text: "x" }), {
    code: "JOURNAL_WRITE_FAILED",
    message: /free some space/,
  });
  disk.resize(64 * 1024);
  const ended = await daemon.exitOf(full.id);
  assert.deepEqual([ended.exit?.code, ended.degraded], [0, null]);
  const lines = (await daemon.outputOf(full.id)).toString().trimEnd().split("\r\n");
  assert.equal(lines.length, 400_000);
  assert.ok(lines.every((line, index) => line === String(index + 1)));
});
