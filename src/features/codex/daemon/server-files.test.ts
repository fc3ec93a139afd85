import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { ProgramLaunch } from "../../../daemon/parts/session-part.ts";
import { prepareServer, serverFilesOf } from "./server-files.ts";

/** Starts a `codex` that is this script of `sh` as a session does; what it printed, and why it has no server. */
function started(context: TestContext, script: string, ...words: string[]): { output: string; plain?: string } {
  const directory = mkdtempSync(join(tmpdir(), "codex-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const program = join(directory, "codex");
  writeFileSync(program, `#!/bin/sh\n${script}`);
  chmodSync(program, 0o755);
  const session = mkdtempSync(join(directory, "session-"));
  const launch: Pick<ProgramLaunch, "command" | "launchers"> = { command: [program, ...words], launchers: [] };
  prepareServer(session, launch);
  const [file = "", ...parameters] = [
    ...launch.launchers.flatMap((launcher) => launcher(launch.command)),
    ...launch.command,
  ];
  const output = execFileSync(file, parameters, { encoding: "utf8" });
  const plain = serverFilesOf(session)?.plain ?? "";
  return { output, ...(existsSync(plain) && { plain: readFileSync(plain, "utf8").trim() }) };
}

test("the terminal of Codex gets the server's address in front of its words", (context) => {
  const script = `case $1 in
    --help) echo "  --remote <ADDR>";;
    app-server) perl -MIO::Socket::UNIX -e '
      $server = IO::Socket::UNIX->new(Local => substr($ARGV[0], 7), Listen => 1); sleep 2' "$3";;
    *) echo "$@";;
  esac`;
  const { output, plain } = started(context, script, "-m", "gpt-5", "fix it");
  assert.match(output, /^--remote unix:\/\/\/\S+\/codex\/socket -m gpt-5 fix it\n$/);
  assert.equal(plain, undefined);
});

test("a Codex without a server, or with a terminal that cannot use one, runs as it was started", (context) => {
  const withoutRemote = 'case $1 in --help) echo "no such option";; app-server) exec sleep 60;; *) echo "$@";; esac';
  assert.deepEqual(started(context, withoutRemote, "fix it"), {
    output: "fix it\n",
    plain: "its terminal has no --remote",
  });
  const withoutServer = 'case $1 in --help) echo "--remote";; app-server) exit 2;; *) echo "$@";; esac';
  assert.deepEqual(started(context, withoutServer), { output: "\n", plain: "it ended at its start" });
});
