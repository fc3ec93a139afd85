import assert from "node:assert/strict";
import { test } from "node:test";
import type { SshHost } from "./hosts-file.ts";
import { sshFailure } from "./ssh-failures.ts";

const host: SshHost = { name: "box", destination: "me@box", sshOptions: ["Port=22"], program: null };

/** What OpenSSH 9.2 prints, and what the message has to name. */
const failures: readonly (readonly [errors: string, wanted: RegExp])[] = [
  [
    "me@box: Permission denied (publickey).",
    /Permission denied \(publickey\); .*"lectern hosts check box" in a terminal/,
  ],
  ["Host key verification failed.", /connect once by hand to check its key: ssh -o "Port=22" me@box/],
  ["ssh: Could not resolve hostname box: Name or service not known", /see "me@box" in your ssh configuration/],
  ["ssh: connect to host box port 22: Connection refused", /start its SSH server/],
  ["ssh: connect to host box port 22: No route to host", /switched on/],
  ["command-line: line 0: Bad configuration option: prot", /lectern hosts rm box/],
  ["something new", /something new; try by hand: ssh -o "Port=22" me@box/],
  ["", /ssh failed; try by hand/],
];

for (const [errors, wanted] of failures) {
  test(`"${errors}" is a reason with a next step`, () => {
    const error = sshFailure(host, {
      code: 255,
      errors: `banner\n${errors}\n`.replace("banner\n\n", ""),
      mayAsk: false,
      isAdded: true,
    });
    assert.equal(error.code, "MACHINE_AWAY");
    assert.match(error.message, wanted);
    assert.doesNotMatch(error.message, /\n/);
  });
}

test("who has just been asked in a terminal is not sent there", () => {
  const { message } = sshFailure(host, {
    code: 255,
    errors: "me@box: Permission denied (publickey).",
    mayAsk: true,
    isAdded: true,
  });
  assert.match(message, /see its user name and your key: ssh -o "Port=22" me@box$/);
});

test("for a host that is not added yet, the next step adds it with the same options", () => {
  const given = { ...host, program: "/opt/lectern", sshOptions: ["Port=22", "ProxyJump=a b"] };
  const end = { code: 255, mayAsk: false, isAdded: false };
  const add = `"lectern hosts add box me@box -o Port=22 -o 'ProxyJump=a b' --program`;
  const { message } = sshFailure(given, { ...end, errors: "Host key verification failed." });
  assert.ok(message.endsWith(`then run ${add} /opt/lectern"`), message);
  const missing = sshFailure(given, { ...end, code: 127, errors: "" });
  assert.ok(missing.message.endsWith(`or name its path: ${add} PATH"`), missing.message);
  assert.match(sshFailure(given, { ...end, errors: "Bad configuration option: x" }).message, /correct its options$/);
});

test("what comes from elsewhere is shown as text, on one line", () => {
  const { message } = sshFailure(host, { code: 255, errors: "\u001b[2Jx\u0007", mayAsk: false, isAdded: true });
  assert.doesNotMatch(message, /[\u0000-\u001f]/);
});

test("a program that is missing or fails, and a wait that was too long", () => {
  const end = { code: 127, errors: "", mayAsk: false, isAdded: true };
  assert.match(sshFailure(host, end).message, /"lectern" was not found there; install it there as here/);
  const problem = JSON.stringify({ detail: "Cannot start: the disk is full" });
  assert.match(
    sshFailure(host, { ...end, code: 1, errors: problem }).message,
    /does not start: Cannot start: the disk is full$/,
  );
  assert.match(sshFailure(host, { ...end, code: null, limitMs: 20_000 }).message, /no answer within 20 s; if it asks/);
});
