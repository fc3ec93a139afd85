/** Files beside sessions: what is taken, what is refused, and what of it an agent sees. */
import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { probeSandbox } from "../../src/daemon/sandbox/backend.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("files lie with a session, their paths are printed or typed, and they go with it", async () => {
  const home = await shared.empty();
  const { client } = home;
  await home.ok("run", "-d", "--name", "work", "--", "bash", "--norc", "--noprofile");
  await home.ok("wait", "work", "--for", "status:waiting");
  writeFileSync(join(home.directory, "my picture.png"), Uint8Array.of(1, 2, 3));
  const path = (await home.ok("put", "work", join(home.directory, "my picture.png"), "--paste")).trim();
  assert.match(path, /\/sessions\/[0-9a-z]+\/files\/my-picture\.png$/);
  assert.deepEqual([...readFileSync(path)], [1, 2, 3]);
  assert.equal(lstatSync(path).mode & 0o777, 0o600);
  await until(async () => (await client.call("sessions.screen", { session: "work" })).text.includes("picture.png"));
  // A draft stands there now.
  const again = await client.putFile("work", body("x"), { name: "../../etc/passwd", paste: true });
  assert.deepEqual([again.name, again.isPasted], ["passwd", false]);
  assert.match(again.notPasted ?? "", /characters that nobody has entered/);
  // A pager would take it for a search.
  await home.ok("run", "-d", "--name", "pager", "--", "less", "/etc/passwd");
  await home.ok("wait", "pager", "--for", "status:waiting");
  const { notPasted } = await client.putFile("pager", body("z"), { name: "z", paste: true });
  assert.match(notPasted ?? "", /full-screen program runs/);
  const second = await client.putFile("work", body("y"), { name: "passwd" });
  assert.equal(second.name, "passwd-2");
  const large = client.putFile("work", zeros(51), { name: "large.bin" });
  await assert.rejects(large, { code: "TOO_LARGE", message: /50 MiB/ });
  const { files, bytes } = await client.call("files.list", { session: "work" });
  assert.deepEqual([files.map(({ name }) => name), bytes], [["my-picture.png", "passwd", "passwd-2"], 5]);
  await home.ok("put", "work", "--remove", "passwd");
  await assert.rejects(client.call("files.remove", { session: "work", file: ".." }), { code: "NOT_FOUND" });
  assert.doesNotMatch(await home.ok("put", "work", "--list"), /passwd$/m);
  const renamed = await home.run(["put", "work", "-", "--name", ".."], { input: "x" });
  assert.match(renamed.stdout, /\/file\n$/);
  assert.match(renamed.stderr, /stored as "file": the name ".." is taken or cannot be one/);
  const kept = await home.run(["put", "work", "-", "--name", "plain"], { input: "x" });
  assert.deepEqual([kept.code, kept.stderr], [0, ""]);
  await home.ok("rm", "--force", "work");
  assert.ok(!existsSync(path));
});

test("a link in the place of the directory is not followed", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "linked", "--", "cat");
  const { path } = await home.client.putFile("linked", body("x"), { name: "a" });
  await home.client.call("files.remove", { session: "linked", file: "a" });
  rmdirSync(dirname(path));
  symlinkSync(home.directory, dirname(path));
  await assert.rejects(home.client.putFile("linked", body("x"), { name: "escaped" }), { code: "CONFLICT" });
  assert.ok(!existsSync(join(home.directory, "escaped")));
});

test("a file that comes later is read in a sandbox, and cannot be changed there", async (context) => {
  const home = await shared.empty();
  const backend = await probeSandbox(home.directory, process.env);
  if (!backend.isAvailable) return context.skip(`there is no sandbox here: ${backend.reason}`);
  const work = join(home.directory, "work");
  await home.ok(
    "run",
    "-d",
    "--name",
    "walled",
    "--sandbox",
    "-C",
    ensured(work),
    "--",
    "bash",
    "--norc",
    "--noprofile",
  );
  const { path } = await home.client.putFile("walled", body("from outside"), { name: "later.txt" });
  const read = await home.client.call("sessions.exec", {
    session: "walled",
    command: `cat ${path}; echo x >> ${path} || echo refused`,
  });
  assert.match(JSON.stringify(read), /from outside.*refused/);
});

function ensured(directory: string): string {
  mkdirSync(directory, { recursive: true });
  return directory;
}

async function* body(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* zeros(mebibytes: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < mebibytes; sent++) yield Buffer.alloc(1024 * 1024);
}
