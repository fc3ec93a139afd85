import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cannotMount } from "../support/needs.ts";
import { CliHome } from "./cli-home.ts";

/** A file system that may have so many files. */
function mountFew(directory: string, filesMax: number): Disposable & { resize(filesMax: number): void } {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=64m,mode=0700,nr_inodes=${filesMax}`, "tmpfs", directory]);
  return {
    resize: (most) => execFileSync("mount", ["-o", `remount,nr_inodes=${most}`, directory]),
    [Symbol.dispose]: () => execFileSync("umount", ["--lazy", directory]),
  };
}

function takeAllInodes(directory: string): void {
  for (let count = 0; ; count += 1) {
    try {
      closeSync(openSync(join(directory, `filler-${count}`), "w"));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      return;
    }
  }
}

test("where no file can be made any more, the daemon and the next one list, read, type, kill and remove", async (context) => {
  if (cannotMount(context)) return;
  await using home = new CliHome();
  const data = home.paths.dataDirectory;
  mkdirSync(data, { mode: 0o700 });
  using disk = mountFew(data, 200);
  await using _programs = {
    [Symbol.asyncDispose]: async () => {
      disk.resize(10_000);
      await home.run(["down", "--programs"]);
    },
  };
  await home.ok("run", "-d", "--name", "old", "--", "echo", "kept");
  await home.ok("wait", "old");
  await home.ok("run", "-d", "--name", "live", "--", "cat");
  takeAllInodes(data);
  assert.match(await home.fails("run", "-d", "--", "true"), /the disk has \d+ free inodes, .*; make room/);
  await home.ok("send", "live", "still here");
  await home.ok("wait", "live", "--for", "output:still here");

  await home.crashDaemon();
  assert.match(await home.ok("ls", "-a"), /live +running[^]*old +exited 0/);
  assert.equal(await home.ok("logs", "old"), "kept\n");
  await home.ok("send", "live", "again");
  await home.ok("wait", "live", "--for", "output:again");
  await home.ok("kill", "live");
  await home.ok("rm", "live");
  await home.ok("rm", "old");
  await home.ok("run", "-d", "--name", "new", "--", "echo", "room again");
  await home.ok("wait", "new");
  assert.equal(await home.ok("logs", "new"), "room again\n");
});
