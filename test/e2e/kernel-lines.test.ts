/** Input to a program that reads lines: what the kernel would drop is refused, and what is accepted arrives. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const home = await new SharedHome().empty();

test("lectern send refuses a line that the kernel would cut, types none of it, and types it at the prompt", async () => {
  const [rc, go, started] = ["rc", "go", "started"].map((name) => join(home.directory, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(rc, `touch '${started}'; until [ -e '${go}' ]; do sleep 0.05; done\n`);
  await home.ok("run", "-d", "--name", "slow", "--", "bash", "--noprofile", "--rcfile", rc);
  while (!existsSync(started)) await home.ok("ls");
  const line = `echo ${"q".repeat(6000)} | wc -c`;
  assert.match(
    await home.fails("send", "slow", line, "--enter"),
    /^7 .*of one line the program gets at most 4095 now.*nothing was typed: wait until it is at its prompt/s,
  );
  // In parts it would be as long.
  await home.ok("send", "slow", "q".repeat(3000));
  assert.match(await home.fails("send", "slow", "q".repeat(1095)), /^7 .*nothing was typed/s);
  await home.ok("key", "slow", "C-u");
  await home.ok("send", "slow", `echo ${"q".repeat(4000)} | wc -c`, "--enter");
  writeFileSync(go, "");
  await home.ok("wait", "slow", "--for", "output:4001", "--from", "0");
  await home.ok("wait", "slow", "--for", "ready");
  await home.ok("send", "slow", line, "--enter");
  await home.ok("wait", "slow", "--for", "output:6001", "--from", "0");
});

test("no program gets a cut line as a whole one that was typed before it began to read, and Ctrl-C gives the line up", async () => {
  const file = join(home.directory, "got");
  await home.ok("run", "-d", "--name", "late", "--", "bash", "--norc", "--noprofile");
  await home.ok("wait", "late", "--for", "ready");
  const text = `cat > '${file}'\nshort\n${"a".repeat(30_000)}\n`;
  await home.client.call("sessions.input", { session: "late", text });
  // How much of the long line was queued before it began to read is a matter of the moment.
  while (!existsSync(file) || !readFileSync(file, "utf8").startsWith("short\n")) await home.ok("ls");
  await home.ok("key", "late", "C-c");
  await home.ok("wait", "late", "--for", "ready");
  assert.equal(await home.ok("exec", "late", "--", "echo back"), "back\n");
  assert.match(readFileSync(file, "utf8"), /^short\na*$/);
});
