/** `worktree.setup` of `lectern.yaml`: what it can do in a new worktree, and what is left when it fails. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Session } from "../../src/protocol/session.ts";
import { GitRepository } from "../support/git-repository.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";

const shared = new SharedDaemon();

interface Wanted {
  readonly repository: GitRepository;
  readonly setup?: string;
  readonly name: string;
  readonly command: [string, ...string[]];
  readonly more?: object;
}

async function start({ repository, setup, name, command, more }: Wanted): Promise<[TemporaryDaemon, Session]> {
  const daemon = await shared.empty(setup === undefined ? {} : { worktree: { setup } });
  const input = { command, workingDirectory: repository.path, worktree: { name }, ...more };
  return [daemon, await daemon.call("sessions.create", input)];
}

const endOf = async (daemon: TemporaryDaemon, { id }: Session): Promise<string> => {
  await daemon.exitOf(id);
  return (await daemon.outputOf(id)).toString();
};

test("the script runs at the top of a new worktree, before the program, which gets neither its variable nor its words", async () => {
  using repository = new GitRepository();
  repository.write(".env", "KEY=1\n");
  const setup = 'cp "$LECTERN_REPOSITORY/.env" . && echo "made in $(basename "$PWD")"';
  const command: Wanted["command"] = ["sh", "-c", 'cat .env; echo "[$LECTERN_REPOSITORY] $#"', "sh", "a b", "'"];
  const [daemon, session] = await start({ repository, setup, name: "set-up", command });
  const text = await endOf(daemon, session);
  assert.match(text, /^lectern: worktree\.setup.*\r\nmade in set-up\r\nKEY=1\r\n\[\] 2\r\n$/);
  assert.deepEqual(session.command, command);
  // A later session in the same worktree finds what was made, and without a new worktree nothing runs before its program.
  const path = join(repository.directory, "shop.worktrees", "set-up");
  const later = await daemon.call("sessions.create", { command: ["cat", ".env"], workingDirectory: path });
  assert.equal(await endOf(daemon, later), "KEY=1\r\n");
});

test("a script that fails starts nothing, and says how to go on; the worktree stays", async () => {
  using repository = new GitRepository();
  const command: Wanted["command"] = ["sh", "-c", "touch started"];
  const [daemon, session] = await start({ repository, setup: "echo no network; exit 7", name: "fails", command });
  const text = (await endOf(daemon, session)).replaceAll("\r\n", "\n");
  const { exit } = await daemon.call("sessions.get", { session: session.id });
  assert.deepEqual([exit?.reason, exit?.code], ["exited", 7]);
  const path = session.worktree?.path ?? "";
  assert.equal(existsSync(join(path, "started")), false);
  assert.ok(text.includes(`failed with exit code 7, so "sh" was not started`), text);
  assert.ok(text.endsWith(`lectern run -C ${path} -- sh -c 'touch started'\n`), text);
  assert.equal(readFileSync(join(path, "README.md"), "utf8"), "shop\n");
});

for (const sandbox of [undefined, {}]) {
  const where = sandbox === undefined ? "" : " inside of walls";
  test(`a script that asks is asked in the terminal, and the first prompt is for the program${where}`, async () => {
    using repository = new GitRepository();
    const [daemon, session] = await start({
      repository,
      setup: 'printf "which region? "; read -r region; echo "$region" > region',
      name: "asks",
      command: ["bash", "--norc", "--noprofile"],
      more: { prompt: "cat region", ...(sandbox && { sandbox }) },
    });
    await daemon.untilOutput(session.id, "which region");
    await daemon.call("sessions.input", { session: session.id, text: "north", enter: true });
    await daemon.untilOutput(session.id, "cat region\\r?\\n[^]*north\\r?\\n", session.end);
    assert.equal(readFileSync(join(session.worktree?.path ?? "", "region"), "utf8"), "north\n");
  });
}

test("a script that hangs ends with its session", async () => {
  using repository = new GitRepository();
  const setup = "echo waiting; exec sleep 600";
  const [daemon, session] = await start({ repository, setup, name: "hangs", command: ["touch", "started"] });
  await daemon.untilOutput(session.id, "waiting");
  await daemon.call("sessions.kill", { session: session.id });
  await daemon.exitOf(session.id);
  assert.equal(existsSync(join(session.worktree?.path ?? "", "started")), false);
});

test("without the key nothing runs before the program", async () => {
  using repository = new GitRepository();
  const [daemon, session] = await start({ repository, name: "plain", command: ["echo", "plain"] });
  assert.equal(await endOf(daemon, session), "plain\r\n");
});
