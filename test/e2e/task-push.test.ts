/** Branches of tasks are pushed to real repositories; what stands in the repository of the agent runs nothing. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";
import { after, test } from "node:test";
import { GitRepository, gitIn, writeIn } from "../support/git-repository.ts";
import { SshServer } from "../support/ssh-server.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";

const shared = new SharedDaemon();
const ssh = await SshServer.start();
after(() => ssh[Symbol.asyncDispose]());
// A setting of the user, whose home is that of this test.
execFileSync("git", ["config", "--global", "core.sshCommand", ["ssh", ...ssh.options()].join(" ")]);

/** Of a directory, by way of a real sshd. */
const addressOf = (path: string): string => `ssh://${userInfo().username}@127.0.0.1:${ssh.port}${path}`;

interface Task {
  readonly daemon: TemporaryDaemon;
  readonly session: string;
  readonly path: string;
  /** A bare repository, which the task's has as "origin". */
  readonly server: string;
}

async function startTask(repository: GitRepository, serverName = "server"): Promise<Task> {
  const daemon = await shared.empty();
  const server = join(repository.directory, `${serverName}.git`);
  repository.git("init", "--quiet", "--bare", server);
  repository.git("remote", "add", "origin", addressOf(server));
  const { id, worktree } = await daemon.call("sessions.create", {
    command: ["sleep", "600"],
    workingDirectory: repository.path,
    worktree: { name: "fix" },
  });
  const path = worktree?.path ?? "";
  writeIn(path, "a.txt", "a\n");
  gitIn(path, "add", ".");
  gitIn(path, "commit", "--quiet", "-m", "Fix the login", "-m", "It was a typo.");
  return { daemon, session: id, path, server };
}

const executable = (path: string, ...lines: readonly string[]): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
};

/** Runs `use` where the first `gh` of the path is this script. */
async function withGh(directory: string, lines: readonly string[], use: () => Promise<void>): Promise<void> {
  const { PATH: path = "" } = process.env;
  executable(join(directory, "gh-bin/gh"), ...lines);
  process.env["PATH"] = `${join(directory, "gh-bin")}:${path}`;
  try {
    await use();
  } finally {
    process.env["PATH"] = path;
  }
}

test("a branch is pushed as it is committed, and the answer of the server is shown", async () => {
  using repository = new GitRepository();
  const { daemon, session, path, server } = await startTask(repository);
  executable(join(server, "hooks/post-receive"), "echo Open a request: https://forge.example/new");
  const ran = join(repository.directory, "ran");
  executable(join(repository.path, ".git/hooks/pre-push"), `touch ${ran}`);
  repository.git("config", "core.sshCommand", `touch ${ran}; false`);
  repository.git("config", "credential.helper", `!touch ${ran}`);
  const pushed = await daemon.call("tasks.push", { session });
  const commit = gitIn(path, "rev-parse", "HEAD").trim();
  const answer = "Open a request: https://forge.example/new";
  const address = `ssh://127.0.0.1:${ssh.port}${server}`;
  assert.deepEqual(pushed, { remote: "origin", address, branch: "fix", commit, answer, pullRequest: null });
  assert.equal(gitIn(server, "rev-parse", "refs/heads/fix").trim(), commit);
  assert.equal(existsSync(ran), false, "neither a hook nor a setting of the repository ran");

  writeIn(path, "b.txt", "b\n");
  await assert.rejects(daemon.call("tasks.push", { session }), {
    code: "CONFLICT",
    message: /not committed are b\.txt/,
  });
});

test("a branch that has gone on at the server is refused, and so is an address that runs a program", async () => {
  using repository = new GitRepository();
  const { daemon, session, path, server } = await startTask(repository);
  await daemon.call("tasks.push", { session });
  gitIn(path, "commit", "--quiet", "--amend", "-m", "Another one");
  await assert.rejects(daemon.call("tasks.push", { session }), {
    code: "CONFLICT",
    message: /^Cannot push "fix" to "origin": it has commits of this branch that are not here; fetch them/,
  });
  const ran = join(repository.directory, "ran");
  executable(join(server, "hooks/post-receive"), `touch ${ran}`);
  for (const address of [
    server,
    `file://${server}`,
    `ext::touch ${ran}`,
    `--receive-pack=touch ${ran}`,
    "-oProxyCommand=x:y",
  ]) {
    repository.git("config", "remote.origin.url", address);
    await assert.rejects(daemon.call("tasks.push", { session }), { code: "CONFLICT", message: /push with git in/ });
  }
  await assert.rejects(daemon.call("tasks.push", { session, remote: "fork" }), {
    code: "CONFLICT",
    message: /no remote "fork"; "git remote add fork ADDRESS"/,
  });
  repository.git("config", "remote.origin.url", addressOf(`${server}-gone`));
  await assert.rejects(daemon.call("tasks.push", { session }), { code: "CONFLICT", message: /^Cannot push "fix"/ });
  assert.equal(existsSync(ran), false);
});

test("a pull request is opened by gh, from the commits of the branch", async () => {
  using repository = new GitRepository();
  const { daemon, session, server } = await startTask(repository);
  const said = join(repository.directory, "said");
  const request = { session, pullRequest: true };
  await withGh(
    repository.directory,
    [`printf '%s\\n' "$@" > ${said}`, "echo https://forge.example/shop/pull/7"],
    async () => {
      assert.equal((await daemon.call("tasks.push", request)).pullRequest, "https://forge.example/shop/pull/7");
    },
  );
  const words = readFileSync(said, "utf8");
  assert.match(words, /^pr\ncreate\n/);
  assert.match(words, /\n--head\nfix\n--base\nmain\n--title\nFix the login\n--body\nIt was a typo\.\n$/);
  await withGh(repository.directory, ["echo To get started, please run: gh auth login >&2", "exit 4"], async () => {
    await assert.rejects(daemon.call("tasks.push", request), {
      code: "NOT_AVAILABLE",
      message:
        /^Pushed "fix" to "origin", but no pull request was opened: To get started, please run: gh auth login; then repeat/,
    });
  });
  assert.notEqual(gitIn(server, "rev-parse", "refs/heads/fix").trim(), "");
});

test("a GitLab server makes the merge request itself, by the options of the push", async () => {
  using repository = new GitRepository();
  const { daemon, session, server } = await startTask(repository, "gitlab");
  gitIn(server, "config", "receive.advertisePushOptions", "true");
  executable(
    join(server, "hooks/post-receive"),
    'echo "$GIT_PUSH_OPTION_0 $GIT_PUSH_OPTION_1 $GIT_PUSH_OPTION_2"',
    "echo https://gitlab.example/shop/-/merge_requests/3",
  );
  const { answer, pullRequest } = await daemon.call("tasks.push", { session, pullRequest: true });
  assert.equal(pullRequest, "https://gitlab.example/shop/-/merge_requests/3");
  assert.match(answer, /^merge_request\.create merge_request\.target=main merge_request\.title=Fix the login$/m);
});
