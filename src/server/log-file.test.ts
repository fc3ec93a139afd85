import assert from "node:assert/strict";
import { test } from "node:test";
import { LogFile } from "./log-file.ts";

/** A file on a disk with so many bytes of space. */
function smallDisk(space: number): {
  write: (descriptor: number, bytes: Uint8Array) => number;
  text: string;
  space: number;
} {
  const disk = {
    text: "",
    space,
    write: (_: number, bytes: Uint8Array): number => {
      if (disk.space === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      const count = Math.min(disk.space, bytes.length);
      disk.text += Buffer.from(bytes.subarray(0, count)).toString();
      disk.space -= count;
      return count;
    },
  };
  return disk;
}

test("LogFile never throws on a full disk, and counts what it dropped when there is space again", () => {
  const disk = smallDisk(8);
  const log = new LogFile(1, disk.write);
  for (const line of ["first\n", "second\n", "third\n"]) log.write(line);
  disk.space = 1000;
  log.write("fourth\n");
  log.write("fifth\n");
  const [first, torn, note = "", ...rest] = disk.text.split("\n");
  assert.deepEqual([first, torn, rest], ["first", "se", ["fourth", "fifth", ""]]);
  assert.match((JSON.parse(note) as { msg: string }).msg, /^2 log lines could not be written: ENOSPC$/);
});

test("LogFile never throws where nothing can be written", () => {
  const log = new LogFile(1, () => {
    throw new Error("EIO");
  });
  for (let count = 0; count < 1000; count++) log.write("line\n");
});
