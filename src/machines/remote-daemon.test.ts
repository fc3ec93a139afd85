import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";
import { checkRemoteVersion, findDaemonCommand, readRemoteDaemon, readVersions } from "./remote-daemon.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern it's-"));
after(() => rmSync(directory, { recursive: true }));

const info = { version: "1.2.3", protocolVersion: 2, listen: ["http://127.0.0.1:1", "unix:/run/d.sock"] };

/** What a shell of the user prints for the command line, as sshd starts it. */
function printed(shell: string, program: string): { readonly status: number | null; readonly stdout: string } {
  const environment = { PATH: process.env["PATH"], HOME: directory, SHELL: `/bin/${shell}` };
  return spawnSync(shell, ["-c", findDaemonCommand(program)], { encoding: "utf8", env: environment });
}

for (const shell of ["sh", "bash", "zsh", "fish"]) {
  test(`${shell} runs the program of any path and prints where the daemon listens`, () => {
    const program = join(directory, "my lectern");
    writeFileSync(program, `#!/bin/sh\n[ "$1 $2" = "info --json" ] && echo '${JSON.stringify(info)}'\n`, {
      mode: 0o755,
    });
    const { status, stdout } = printed(shell, program);
    assert.equal(status, 0);
    assert.deepEqual(readRemoteDaemon(`welcome\n${stdout}bye\n`), {
      version: "1.2.3",
      protocolVersion: 2,
      socket: "/run/d.sock",
    });
  });

  test(`${shell} ends with 127 where there is no such program, and with the code of one that fails`, () => {
    assert.equal(printed(shell, "/nowhere/lectern").status, 127);
    const program = join(directory, "fails");
    writeFileSync(program, "#!/bin/sh\nexit 6\n", { mode: 0o755 });
    assert.equal(printed(shell, program).status, 6);
  });
}

test("an answer without a unix socket, or none, is no daemon", () => {
  assert.equal(readRemoteDaemon("welcome"), undefined);
  assert.equal(readRemoteDaemon("lectern-daemon:{"), undefined);
  assert.equal(readRemoteDaemon(`lectern-daemon:${JSON.stringify({ ...info, listen: [] })}`), undefined);
});

test("a socket that ssh would expand, or whose path is no line, is not taken: a variable of this environment would be sent there", () => {
  for (const path of ["/x${HOME}", "/a\nb", "/a\u001b[31m", "/a\u2028b", "relative"]) {
    const answer = JSON.stringify({ ...info, listen: [`unix:${path}`] });
    assert.equal(readRemoteDaemon(`lectern-daemon:${answer}`), undefined);
  }
  const named = JSON.stringify({ ...info, listen: [null, "unix:/my homé/a:1/50%/$x.sock"] });
  assert.equal(readRemoteDaemon(`lectern-daemon:${named}`)?.socket, "/my homé/a:1/50%/$x.sock");
});

test("versions that act on a terminal or in a command line are those of no daemon", () => {
  for (const version of ["1\u001b[31m", "1; reboot", "", "1".repeat(65), 1, null])
    assert.equal(readVersions({ version, protocolVersion: 2 }), undefined);
  for (const answer of [null, [], "x", {}, { version: "1", protocolVersion: "2" }])
    assert.equal(readVersions(answer), undefined);
  assert.deepEqual(readVersions({ ...info, version: "1.2.3-rc.1+x" }), { version: "1.2.3-rc.1+x", protocolVersion: 2 });
});

test("another protocol is refused with the machine to update", () => {
  const other = (protocolVersion: number) => () => checkRemoteVersion("box", { version: "9.0.0", protocolVersion });
  other(PROTOCOL_VERSION)();
  assert.throws(other(PROTOCOL_VERSION + 1), {
    code: "VERSION_MISMATCH",
    message: /update Lectern here to 9\.0\.0/,
  });
  assert.throws(other(PROTOCOL_VERSION - 1), { code: "VERSION_MISMATCH", message: /update it there/ });
});
