/** A screen as a picture: from a program in a session to the pixels. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

const drawing = "printf '\\033[1;31mred \\033[0m┌─┐ ⎿ 中中 done'; read -r";

/** Width and height, read off the header (PNG specification, 11.2.1). */
function sizeOf(png: Uint8Array): readonly number[] {
  assert.deepEqual([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

test("lectern screen --png and --svg draw what the terminal shows", async () => {
  await home.ok("run", "-d", "--", "true"); // starts the daemon
  const { id } = await home.client.call("sessions.create", {
    command: ["bash", "--norc", "-c", drawing],
    columns: 30,
    rows: 5,
  });
  await home.ok("wait", id, "--for", "output:done");
  const svg = await home.ok("screen", id, "--svg");
  assert.match(svg, /fill="#ee7b70" font-weight="bold">red</);
  assert.match(svg, /width="320" height="120"/);

  const path = join(home.directory, "screen.png");
  const { code, stderr } = await home.run(["screen", id, "--png", "-o", path]);
  assert.equal(code, 0);
  assert.match(stderr, /^lectern: no font has 1 of the characters, .*: 中; give one that has them with --font FILE/);
  assert.deepEqual(sizeOf(readFileSync(path)), [640, 240]);
  const { stdout } = await home.shell(`$L screen ${id} --png --scale 1 | base64`);
  assert.deepEqual(sizeOf(Buffer.from(stdout, "base64")), [320, 120]);

  await home.client.call("sessions.resize", { session: id, columns: 1000, rows: 500 });
  assert.match(await home.fails("screen", id, "--png", "--scale", "8"), /pixels.*--scale/);
});

test("a picture does not go to a terminal, and its options need it", async () => {
  const run = home.onTerminal(["screen", "any", "--png"]);
  await run.until("give a file with -o");
  assert.match(await home.fails("screen", "any", "--png", "--svg"), /^2 .*combine output formats/);
  assert.match(await home.fails("screen", "any", "-o", "x.png"), /^2 .*without --png or --svg/);
  assert.match(await home.fails("screen", "any", "--svg", "--scale", "2"), /^2 .*without --png/);
});
