import assert from "node:assert/strict";
import { test } from "node:test";
import type { SshHost } from "./hosts-file.ts";
import { exitArguments, forwardArguments, runArguments } from "./ssh-link.ts";

const host: SshHost = { name: "box", destination: "me@box", sshOptions: ["Port=2222"], program: null };
const places = { controlSocket: "/run/50%/c.ctl", socket: "/run/50%/c.sock" };

test("our options stand before those of the user, and the destination is no option", () => {
  const words = runArguments(host, places, { command: "run this", mayAsk: false });
  assert.deepEqual(words.slice(-5), ["-o", "Port=2222", "--", "me@box", "run this"]);
  assert.ok(words.includes("BatchMode=yes"));
  assert.ok(words.includes("ControlPath=/run/50%%/c.ctl"));
  assert.ok(words.indexOf("BatchMode=yes") < words.indexOf("Port=2222"));
  assert.ok(runArguments(host, places, { command: "x", mayAsk: true }).includes("BatchMode=no"));
});

test("what ssh reads in the path of a socket is escaped", () => {
  const words = forwardArguments(
    host,
    { ...places, socket: "/a:b.sock" },
    { action: "cancel", remoteSocket: "/%h:1\\x" },
  );
  assert.equal(words.at(-3), String.raw`/a\:b.sock:/%%h\:1\\x`);
});

test("commands about a connection use no configuration, whose forwardings they would repeat", () => {
  const words = forwardArguments(host, places, { action: "forward", remoteSocket: "/there.sock" });
  assert.deepEqual(words.slice(0, 2), ["-F", "none"]);
  assert.deepEqual(words.slice(-6), ["-O", "forward", "-L", "/run/50%%/c.sock:/there.sock", "--", "me@box"]);
  assert.deepEqual(exitArguments(host, places).slice(-4), ["-O", "exit", "--", "me@box"]);
});
