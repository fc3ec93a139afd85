/** Worktrees of sessions in real repositories: what is made, shown, committed, discarded and removed. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionWorktree } from "../../src/protocol/session.ts";
import { GitRepository, gitIn, writeIn } from "../support/git-repository.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import type { TemporaryDaemon } from "../support/temporary-daemon.ts";

const shared = new SharedDaemon();

interface Started {
  readonly daemon: TemporaryDaemon;
  readonly session: string;
  readonly worktree: SessionWorktree;
}

async function start(repository: GitRepository, name: string, more: object = {}): Promise<Started> {
  const daemon = await shared.empty();
  const { id, worktree } = await daemon.call("sessions.create", {
    command: ["sleep", "600"],
    workingDirectory: repository.path,
    worktree: { name, ...more },
  });
  assert.ok(worktree !== null);
  return { daemon, session: id, worktree };
}

const filesOf = async ({ daemon, session }: Started) => (await daemon.call("tasks.changes", { session })).files;

test("a session starts in a worktree with a branch of its own, and what is not committed stays where it is", async () => {
  using repository = new GitRepository();
  repository.write("README.md", "not committed\n");
  const started = await start(repository, "fix-total");
  const { daemon, session, worktree } = started;
  const { workingDirectory, name } = await daemon.call("sessions.get", { session });
  assert.equal(workingDirectory, join(repository.directory, "shop.worktrees", "fix-total"));
  assert.equal(name, "fix-total");
  assert.deepEqual([worktree.branch, worktree.baseName, worktree.leftOut], ["fix-total", "main", 1]);
  assert.equal(readFileSync(join(workingDirectory, "README.md"), "utf8"), "shop\n");
  assert.equal(gitIn(workingDirectory, "status", "--porcelain"), "");
  assert.equal(gitIn(workingDirectory, "branch", "--show-current"), "fix-total");
  assert.deepEqual(await filesOf(started), []);
  // A session that starts in it belongs to it.
  const { worktree: same } = await daemon.call("sessions.create", { command: ["true"], workingDirectory });
  assert.equal(same?.branch, "fix-total");
  const { tasks } = await daemon.call("tasks.list", {});
  assert.deepEqual([tasks.length, tasks[0]?.sessions.length, tasks[0]?.exists], [1, 2, true]);
});

test("changes are those against the base: staged or not, committed or not, new, binary, renamed and cut", async () => {
  using repository = new GitRepository();
  repository.write("old.txt", "one\ntwo\nthree\nfour\n");
  repository.write("gone.txt", "gone\n");
  repository.git("add", ".");
  repository.git("commit", "--quiet", "-m", "more");
  const started = await start(repository, "all-kinds");
  const { daemon, session, worktree } = started;
  const { path } = worktree;
  writeIn(path, ".gitignore", "ignored/\n");
  writeIn(path, "ignored/big.log", "never shown\n");
  writeIn(path, "src/new file.ts", "export {};\n");
  writeIn(path, "image.bin", Uint8Array.of(0, 1, 2, 0, 255));
  writeIn(path, "huge.txt", "x".repeat(5 * 1024 * 1024));
  renameSync(join(path, "old.txt"), join(path, "renamed.txt"));
  rmSync(join(path, "gone.txt"));
  writeIn(path, "committed.txt", "by the agent\n");
  gitIn(path, "add", "committed.txt", "src");
  gitIn(path, "-c", "user.name=Agent", "-c", "user.email=agent@example.com", "commit", "--quiet", "-m", "agent");
  const changes = await daemon.call("tasks.changes", { session });
  assert.equal(changes.commits, 1);
  assert.deepEqual(
    changes.files.map((file) => [file.type, file.path, file.from, file.added, file.isBinary, file.isCommitted]),
    [
      ["added", ".gitignore", null, 1, false, false],
      ["added", "committed.txt", null, 1, false, true],
      ["removed", "gone.txt", null, 0, false, false],
      ["added", "huge.txt", null, null, true, false],
      ["added", "image.bin", null, null, true, false],
      ["renamed", "renamed.txt", "old.txt", 0, false, false],
      ["added", "src/new file.ts", null, 1, false, true],
    ],
  );
  const { patch } = await daemon.call("tasks.diff", { session, path: "src/new file.ts" });
  assert.match(patch, /^\+export \{\};$/m);
  const renamed = await daemon.call("tasks.diff", { session, path: "renamed.txt", from: "old.txt" });
  assert.match(renamed.patch, /^rename from old.txt$/m);
  assert.equal((await daemon.call("tasks.diff", { session, bytesMax: 1024 })).isCut, false);
  for (let number = 0; number < 2100; number++) writeIn(path, `many/${number}.txt`, "x\n");
  const many = await daemon.call("tasks.changes", { session });
  assert.deepEqual([many.files.length, many.total], [2000, 2107]);
  const cut = await daemon.call("tasks.diff", { session, bytesMax: 1024 });
  assert.deepEqual([cut.isCut, cut.patch.length], [true, 1024]);
});

test("a commit has exactly what was shown, on the branch, and git agrees", async () => {
  using repository = new GitRepository();
  const { daemon, session, worktree } = await start(repository, "commit-it");
  const { path } = worktree;
  writeIn(path, "src/total.js", "export const total = 0;\n");
  writeIn(path, "note.txt", "new\n");
  const { fingerprint } = await daemon.call("tasks.changes", { session });
  writeIn(path, "note.txt", "changed since\n");
  await assert.rejects(daemon.call("tasks.commit", { session, message: "x", confirm: fingerprint }), {
    code: "CONFLICT",
    message: /have changed since they were shown/,
  });
  const shown = await daemon.call("tasks.changes", { session });
  const message = "Make the total 0\n\nBecause of the test";
  const done = await daemon.call("tasks.commit", { session, message, confirm: shown.fingerprint });
  assert.equal(done.files, 2);
  assert.equal(gitIn(path, "status", "--porcelain"), "");
  assert.equal(repository.git("rev-parse", "commit-it"), done.commit);
  assert.equal(repository.git("log", "-1", "--format=%an %s", "commit-it"), "Test Person Make the total 0");
  assert.equal(repository.git("rev-parse", "main"), worktree.base);
  const after = await daemon.call("tasks.changes", { session });
  assert.deepEqual([after.uncommitted.total, after.commits, after.files.length], [0, 1, 2]);
  await assert.rejects(daemon.call("tasks.commit", { session, message: "again" }), /Nothing to commit/);
  writeIn(worktree.gitDirectory, "index.lock", "");
  writeIn(path, "note.txt", "while git is at work\n");
  await assert.rejects(daemon.call("tasks.commit", { session, message: "x" }), /git is at work there/);
  rmSync(join(worktree.gitDirectory, "index.lock"));
  gitIn(path, "switch", "--quiet", "-c", "elsewhere");
  await assert.rejects(daemon.call("tasks.commit", { session, message: "x" }), /"elsewhere" is checked out there/);
});

test("discarding loses exactly what was shown; removing loses nothing without the word of a person", async () => {
  using repository = new GitRepository();
  const { daemon, session, worktree } = await start(repository, "throw-away");
  const { path } = worktree;
  writeIn(path, ".git-not", "");
  rmSync(join(path, "README.md"));
  writeIn(path, "README.md/inside", "a directory in the place of a file\n");
  writeIn(path, "src/total.js", "changed\n");
  gitIn(path, "add", "src/total.js");
  await assert.rejects(daemon.call("tasks.discard", { session, confirm: "something else" }), { code: "CONFLICT" });
  await assert.rejects(daemon.call("tasks.remove", { session }), { code: "SESSION_RUNNING" });
  await daemon.call("sessions.kill", { session });
  await assert.rejects(daemon.call("tasks.remove", { session }), /not committed are .*README.md.*--force/);
  const { fingerprint } = await daemon.call("tasks.changes", { session });
  await daemon.call("tasks.discard", { session, confirm: fingerprint });
  assert.equal(gitIn(path, "status", "--porcelain", "--ignored"), "");
  assert.equal(readFileSync(join(path, "README.md"), "utf8"), "shop\n");
  writeIn(path, "kept.txt", "kept\n");
  await daemon.call("tasks.commit", { session, message: "kept" });
  const removed = await daemon.call("tasks.remove", { session });
  assert.deepEqual([removed.isBranchRemoved, removed.commits, existsSync(path)], [false, 1, false]);
  assert.equal(repository.git("show", "throw-away:kept.txt"), "kept");
  assert.equal(repository.git("worktree", "list").split("\n").length, 1);
  await assert.rejects(daemon.call("tasks.changes", { session }), { code: "NOT_FOUND" });
  repository.git("merge", "--quiet", "throw-away");
  assert.equal((await daemon.call("tasks.remove", { session })).isBranchRemoved, true);
});

test("discarding one file loses exactly that, as it was shown, and what is staged of others stays staged", async () => {
  using repository = new GitRepository();
  repository.write("old.txt", "one\ntwo\nthree\nfour\n");
  repository.git("add", ".");
  repository.git("commit", "--quiet", "-m", "more");
  const started = await start(repository, "one-file");
  const { daemon, session, worktree } = started;
  const { path } = worktree;
  const discard = async (file: string, version?: string): Promise<unknown> => {
    const shown = (await filesOf(started)).find((each) => each.path === file)?.version ?? "none";
    return await daemon.call("tasks.discard", { session, path: file, confirm: version ?? shown });
  };
  writeIn(path, "src/total.js", "staged\n");
  gitIn(path, "add", "src/total.js");
  writeIn(path, "src/total.js", "not staged\n");
  writeIn(path, "new/deep/[a]*.txt", "new\n");
  writeIn(path, "new/deep/other.txt", "other\n");
  gitIn(path, "mv", "old.txt", "renamed.txt");
  rmSync(join(path, "README.md"));
  await discard("README.md");
  await discard("new/deep/[a]*.txt");
  await discard("renamed.txt");
  assert.equal(readFileSync(join(path, "README.md"), "utf8"), "shop\n");
  assert.equal(gitIn(path, "status", "--porcelain", "-uall"), "MM src/total.js\n?? new/deep/other.txt");
  assert.equal(gitIn(path, "show", ":src/total.js"), "staged");
  const before = (await filesOf(started)).find((each) => each.path === "src/total.js")?.version;
  writeIn(path, "src/total.js", "changed since\n");
  await assert.rejects(discard("src/total.js", before), {
    code: "CONFLICT",
    message: /has changed since it was shown/,
  });
  await assert.rejects(discard("README.md"), { code: "CONFLICT", message: /all of it is committed/ });
  // A directory in the place of a file, and a link in the place of a directory.
  rmSync(join(path, "README.md"));
  writeIn(path, "README.md/inside", "kept\n");
  await assert.rejects(discard("README.md"), { code: "CONFLICT", message: /something else is at "README.md"/ });
  const secret = join(repository.directory, "elsewhere");
  writeIn(secret, "total.js", "secret\n");
  renameSync(join(path, "src"), join(path, "src-away"));
  symlinkSync(secret, join(path, "src"));
  await assert.rejects(discard("src/total.js"), { code: "CONFLICT", message: /something else is at "src"/ });
  await discard("src");
  await discard("src/total.js");
  assert.equal(readFileSync(join(secret, "total.js"), "utf8"), "secret\n");
  assert.match(readFileSync(join(path, "src/total.js"), "utf8"), /items\.reduce/);
  assert.equal(readFileSync(join(path, "README.md/inside"), "utf8"), "kept\n");
});

test("a branch may have slashes, which are dashes in the names of its directory and its session", async () => {
  using repository = new GitRepository();
  const daemon = await shared.empty();
  const create = (name: string) =>
    daemon.call("sessions.create", {
      command: ["sleep", "60"],
      workingDirectory: repository.path,
      worktree: { name, group: name },
    });
  const { name, worktree } = await create("topic/fix-total");
  assert.deepEqual([name, worktree?.branch], ["topic-fix-total", "topic/fix-total"]);
  assert.equal(worktree?.path, join(repository.directory, "shop.worktrees", "topic-fix-total"));
  assert.equal(gitIn(worktree.path, "branch", "--show-current"), "topic/fix-total");
  await assert.rejects(create("topic"), { code: "NAME_TAKEN", message: /beside the branch "topic\/fix-total"/ });
  await assert.rejects(create("topic-fix-total"), { code: "NAME_TAKEN", message: /topic-fix-total" exists already/ });
  await assert.rejects(create("topic//x"), { code: "INVALID_INPUT", message: /name of a branch/ });
  await assert.rejects(create("fix login bug"), /letters, digits, dot, underscore, dash and slash/);
  assert.deepEqual(readdirSync(join(repository.directory, "shop.worktrees")), ["topic-fix-total"]);
});

test("what cannot be made says what to do, and leaves nothing behind", async () => {
  using repository = new GitRepository();
  const daemon = await shared.empty();
  const create = (name: string, more: object = {}, where = repository.path, command = "sleep") =>
    daemon.call("sessions.create", { command: [command, "60"], workingDirectory: where, worktree: { name, ...more } });
  await create("taken");
  await assert.rejects(create("taken"), { code: "NAME_TAKEN", message: /the branch "taken" exists already/ });
  repository.git("worktree", "add", "--quiet", "-b", "other", join(repository.directory, "shop.worktrees", "there"));
  await assert.rejects(create("there"), { code: "NAME_TAKEN", message: /"[^"]*there" exists already/ });
  await assert.rejects(create("main"), { code: "NAME_TAKEN" });
  await assert.rejects(create("a..b"), { code: "INVALID_INPUT", message: /name of a branch/ });
  await assert.rejects(create("new", { base: "nowhere" }), { code: "INVALID_INPUT", message: /base "nowhere"/ });
  await assert.rejects(create("new", {}, repository.directory), { code: "INVALID_INPUT", message: /git init/ });
  await assert.rejects(create("new", {}, repository.path, "no-such-program"), { code: "COMMAND_NOT_FOUND" });
  using empty = new GitRepository({ hasCommit: false });
  await assert.rejects(create("new", {}, empty.path), { code: "CONFLICT", message: /has no commit yet/ });
  assert.deepEqual(readdirSync(join(repository.directory, "shop.worktrees")).toSorted(), ["taken", "there"]);
  assert.deepEqual(readdirSync(empty.directory), ["shop"]);
  assert.equal(repository.git("branch", "--list", "new"), "");
  const { sessions } = await daemon.call("sessions.list", {});
  assert.equal(sessions.length, 1);
  // A tree that cannot be written as a whole: the path of a file is taken by what git cannot make.
  const before = repository.git("worktree", "list");
  chmodSync(join(repository.path, ".git", "objects"), 0o700);
  const blob = repository.git("rev-parse", "HEAD:README.md");
  const object = join(repository.path, ".git", "objects", blob.slice(0, 2), blob.slice(2));
  renameSync(object, `${object}.away`);
  await assert.rejects(create("half"), { code: "CONFLICT" });
  renameSync(`${object}.away`, object);
  assert.equal(repository.git("worktree", "list"), before);
  assert.equal(repository.git("branch", "--list", "half"), "");
  // A bare repository has worktrees, too.
  const bare = join(repository.directory, "bare.git");
  repository.git("clone", "--quiet", "--bare", repository.path, bare);
  const { worktree } = await create("in-bare", {}, bare);
  assert.equal(worktree?.path, join(repository.directory, "bare.worktrees", "in-bare"));
});

test("nothing that an agent writes into the repository or the worktree is run", async () => {
  using repository = new GitRepository();
  const proof = join(repository.directory, "it-ran");
  const program = join(repository.directory, "evil.sh");
  writeIn(repository.directory, "evil.sh", `#!/bin/sh\necho "$0 $*" >> ${proof}\ncat\n`);
  chmodSync(program, 0o755);
  const poison = (directory: string): void => {
    for (const hook of [
      "pre-commit",
      "commit-msg",
      "post-commit",
      "post-checkout",
      "reference-transaction",
      "post-index-change",
    ])
      symlinkSync(program, join(directory, "hooks", hook));
  };
  const settings = [
    ["core.fsmonitor", program],
    ["core.sshCommand", program],
    ["core.editor", program],
    ["core.pager", program],
    ["core.alternateRefsCommand", program],
    ["diff.external", program],
    ["diff.evil.command", program],
    ["diff.evil.textconv", program],
    ["filter.evil.clean", program],
    ["filter.evil.smudge", program],
    ["filter.evil.required", "true"],
    ["gpg.program", program],
    ["commit.gpgSign", "true"],
    ["credential.helper", `!${program}`],
    ["merge.evil.driver", program],
    ["remote.origin.url", `ext::${program}`],
    ["remote.origin.promisor", "true"],
    ["protocol.ext.allow", "always"],
    ["extensions.partialClone", "origin"],
  ];
  rmSync(join(repository.path, ".git", "hooks"), { recursive: true, force: true });
  mkdirSync(join(repository.path, ".git", "hooks"));
  poison(join(repository.path, ".git"));
  for (const [name = "", value = ""] of settings) repository.git("config", name, value);
  repository.git("config", "core.repositoryFormatVersion", "1");
  writeIn(repository.path, ".git/info/attributes", "* filter=evil diff=evil merge=evil\n");
  gitIn(repository.path, "status");
  assert.ok(existsSync(proof), "a git that is used as it is runs what is set here");
  rmSync(proof);

  const started = await start(repository, "hostile");
  const { daemon, session, worktree } = started;
  const { path } = worktree;
  writeIn(path, ".gitattributes", "*.txt diff=evil merge=evil\n");
  writeIn(path, "src/total.js", "changed\n");
  writeIn(path, "new.txt", "new\n");
  // A repository inside, with settings of its own.
  gitIn(repository.directory, "init", "--quiet", join(path, "inner"));
  writeIn(join(path, "inner"), ".git/config", `[core]\n\tfsmonitor = ${program}\n\trepositoryformatversion = 0\n`);
  // Its own `.git` leads to another directory with the same settings.
  const other = join(repository.directory, "other.git");
  gitIn(repository.directory, "init", "--quiet", "--bare", other);
  gitIn(other, "config", "core.fsmonitor", program);
  writeIn(path, ".git", `gitdir: ${other}\n`);
  rmSync(proof, { force: true });

  const changes = await daemon.call("tasks.changes", { session });
  assert.deepEqual(
    changes.files.map((file) => file.path),
    [".gitattributes", "new.txt", "src/total.js"],
  );
  assert.deepEqual(changes.innerRepositories, ["inner/"]);
  assert.match((await daemon.call("tasks.diff", { session })).patch, /^\+new$/m);
  await assert.rejects(daemon.call("tasks.commit", { session, message: "x" }), /"inner\/" is a repository of its own/);
  rmSync(join(path, "inner"), { recursive: true });
  await daemon.call("tasks.commit", { session, message: "by a person" });
  assert.equal(existsSync(proof), false, existsSync(proof) ? readFileSync(proof, "utf8") : "");
  writeIn(path, "new.txt", "once more\n");
  const once = (await filesOf(started)).find((file) => file.path === "new.txt" && !file.isCommitted);
  await daemon.call("tasks.discard", { session, path: "new.txt", confirm: once?.version ?? "" });
  assert.equal(readFileSync(join(path, "new.txt"), "utf8"), "new\n");
  assert.equal(existsSync(proof), false, "by discarding one file");
  // A filter that is named changes what is stored, so it is not left out silently.
  writeIn(path, ".gitattributes", "*.txt filter=evil\n");
  writeIn(path, "new.txt", "again\n");
  await assert.rejects(daemon.call("tasks.commit", { session, message: "x" }), /names the filter "evil"/);
  const { fingerprint } = await daemon.call("tasks.changes", { session });
  await daemon.call("tasks.discard", { session, confirm: fingerprint });
  await daemon.call("sessions.kill", { session });
  await daemon.call("tasks.remove", { session, branch: "delete" });
  assert.equal(existsSync(path), false);
  assert.equal(existsSync(proof), false, existsSync(proof) ? readFileSync(proof, "utf8") : "");
  assert.equal(existsSync(join(worktree.gitDirectory)), false);
});

test("a submodule with files is named, keeps nothing from being committed, and is not removed without a word", async () => {
  using repository = new GitRepository();
  const library = join(repository.directory, "library");
  gitIn(repository.directory, "clone", "--quiet", repository.path, library);
  const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "vendor/library"];
  repository.git(...add);
  repository.git("commit", "--quiet", "-m", "with a library");
  const { daemon, session, worktree } = await start(repository, "with-library");
  const inner = async () => (await daemon.call("tasks.changes", { session })).innerRepositories;
  assert.deepEqual(await inner(), [], "it is empty");
  gitIn(worktree.path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
  writeIn(join(worktree.path, "vendor/library"), "README.md", "changed in the library\n");
  // What an agent makes of a repository inside with "git add".
  gitIn(worktree.path, "clone", "--quiet", library, "embedded");
  gitIn(worktree.path, "add", "embedded");
  assert.deepEqual(await inner(), ["embedded/", "vendor/library/"]);
  gitIn(worktree.path, "commit", "--quiet", "-m", "embedded");
  assert.deepEqual(await inner(), ["embedded/", "vendor/library/"]);
  writeIn(worktree.path, "new.txt", "new\n");
  assert.equal((await daemon.call("tasks.commit", { session, message: "beside it" })).files, 1);
  await daemon.call("sessions.kill", { session });
  await assert.rejects(
    daemon.call("tasks.remove", { session }),
    /what is in embedded\/, vendor\/library\/ is not read and would be lost; .*--force/,
  );
  await daemon.call("tasks.remove", { session, force: true, branch: "delete" });
  assert.equal(existsSync(worktree.path), false);
});

test("a worktree whose directory was replaced is not read, and links lead nowhere", async () => {
  using repository = new GitRepository();
  const started = await start(repository, "linked");
  const { daemon, session, worktree } = started;
  const secret = join(repository.directory, "secret");
  writeIn(secret, "total.js", "secret\n");
  rmSync(join(worktree.path, "src"), { recursive: true });
  symlinkSync(secret, join(worktree.path, "src"));
  const files = await filesOf(started);
  assert.deepEqual(
    files.map(({ type, path }) => [type, path]),
    [
      ["added", "src"],
      ["removed", "src/total.js"],
    ],
  );
  assert.doesNotMatch((await daemon.call("tasks.diff", { session })).patch, /^\+secret$/m);
  const { fingerprint } = await daemon.call("tasks.changes", { session });
  await daemon.call("tasks.discard", { session, confirm: fingerprint });
  assert.equal(readFileSync(join(secret, "total.js"), "utf8"), "secret\n");
  renameSync(worktree.path, `${worktree.path}-away`);
  symlinkSync(secret, worktree.path);
  await assert.rejects(daemon.call("tasks.changes", { session }), /something else was put in its place/);
});
