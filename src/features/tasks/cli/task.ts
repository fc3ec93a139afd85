/** The worktrees of sessions: what their agents changed, and what becomes of it. */
import { LecternError } from "../../../core/errors.ts";
import { readPatch } from "../../../core/diff/patch.ts";
import { conflictPrompt, reviewPrompt, type LineComment } from "../../../core/diff/review.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { printTable } from "../../../cli/columns.ts";
import { defineCommand, jsonOption } from "../../../cli/command.ts";
import type { CliContext } from "../../../cli/context.ts";
import type { Style } from "../../../cli/style.ts";

const NAMES_MAX = 20;
const DIFF_BYTES_MAX = 8_388_608;

type Changes = OutputOf<"tasks.changes">;
type ChangedFile = Changes["files"][number];

export const task = defineCommand({
  name: "task",
  summary: "Show, commit or discard what an agent changed in its worktree",
  details: [
    'A task is a session with a git worktree and a branch of its own: "lectern run --worktree NAME -- PROGRAM" starts one.',
    "",
    "ls                          which there are",
    "changes SESSION             the files that differ from the base of the branch",
    "diff SESSION [FILE...]      the same as a patch",
    "commit SESSION -m TEXT      commits all of it; on a terminal it lists the files and asks first. With --fingerprint",
    "                            only what was shown; hooks of the repository only run with --hooks",
    "discard SESSION [FILE...]   what is not committed is lost; asks first",
    "comment SESSION FILE:LINE TEXT ...",
    "                            comments on lines of the diff, which the agent gets as one prompt",
    "merge SESSION               merges the branch into the one it came from, or --into BRANCH; conflicts are named, and",
    "                            nothing is changed then (exit code 1)",
    "push SESSION                pushes the branch to origin, or --remote NAME; with --pull-request a pull request is opened",
    "                            there, by gh or by GitLab",
    "open SESSION                opens the directory in $VISUAL or $EDITOR",
    "rm SESSION                  removes the worktree of an ended session; a branch that is not merged stays. Ignored files",
    "                            go with it: they are named, and on a terminal you are asked",
  ],
  arguments: [
    {
      name: "action",
      summary: "One of",
      choices: ["ls", "changes", "diff", "comment", "commit", "discard", "merge", "push", "open", "rm"],
    },
    {
      name: "session",
      summary: "Name, id, or 4 or more first characters of an id; HOST/NAME on a host",
      count: "optional",
      completes: "session",
    },
    { name: "files", summary: "diff, discard: only these; comment: FILE:LINE and TEXT", count: "any" },
  ],
  options: {
    message: { type: "text", short: "m", placeholder: "TEXT", summary: "commit: its message" },
    hooks: { type: "flag", summary: "commit: as git in a terminal does, with hooks, filters and signatures" },
    stat: { type: "flag", summary: "diff: names and counts of lines, as changes" },
    fingerprint: {
      type: "text",
      placeholder: "TEXT",
      summary: 'commit: what "task diff --json" showed; refused if it has changed since',
    },
    yes: { type: "flag", short: "y", summary: "commit, discard, rm: do not ask" },
    force: { type: "flag", short: "f", summary: "rm: also with changes that are not committed, which are lost" },
    into: { type: "text", placeholder: "BRANCH", summary: "merge: into this one; default: where the branch came from" },
    remote: { type: "text", placeholder: "NAME", summary: "push: to this one; default: origin" },
    "pull-request": { type: "flag", summary: "push: open a pull request into the branch that the task came from" },
    branch: {
      type: "text",
      placeholder: "WHAT",
      choices: ["keep", "merged", "delete"],
      summary: "rm: of the branch; merged removes it if nothing is lost (default)",
    },
    json: jsonOption,
  },
  examples: [
    "lectern task ls",
    "lectern task diff fix-login",
    "lectern task commit fix-login -m 'Fix the login test'",
    "lectern task commit fix-login -m 'Fix the login test' --fingerprint 0b5e...",
    "lectern task comment fix-login src/login.ts:12 'rename this' src/login.ts:40 'add a test'",
    "lectern task merge fix-login",
    "lectern task push fix-login --pull-request",
    "lectern task rm fix-login",
  ],
  async run({ arguments: { action, session, files }, options }, context) {
    if (action === "ls") return await list(options.json, context);
    if (session === undefined)
      throw new LecternError("USAGE", `Missing argument: lectern task ${action} SESSION; see "lectern task ls"`);
    if (files.length > 0 && !["diff", "discard", "comment"].includes(action))
      throw new LecternError("USAGE", `Unexpected argument "${files[0]}" of "lectern task ${action}"`);
    switch (action) {
      case "diff":
        return options.stat
          ? await printChanges(session, options.json, context)
          : await printDiff(session, files, options.json, context);
      case "commit":
        return await commit(session, options, context);
      case "discard":
        return await discard({ session, files }, options, context);
      case "comment":
        return await comment(session, files, options.json, context);
      case "merge":
        return await merge(session, options, context);
      case "push":
        return await push(session, { ...options, pullRequest: options["pull-request"] }, context);
      case "open":
        return await openInEditor(session, context);
      case "rm":
        return await remove(session, options, context);
      default:
        return await printChanges(session, options.json, context);
    }
  },
});

async function list(json: boolean, context: CliContext): Promise<void> {
  const { tasks } = await context.call("tasks.list", {});
  if (json) await context.print(JSON.stringify({ tasks }));
  else if (tasks.length > 0) {
    const rows = tasks.map(({ exists, sessions, worktree: { baseName, branch, path } }) => [
      context.addressOf(sessions[0]?.name ?? "-"),
      exists ? (sessions[0]?.state ?? "-") : "removed",
      escapeForDisplay(branch),
      escapeForDisplay(baseName ?? "-"),
      escapeForDisplay(path),
    ]);
    await printTable([["SESSION", "STATE", "BRANCH", "BASE", "DIRECTORY"], ...rows], context);
  } else if (context.stdout.isTTY)
    context.note('No tasks: start one with "lectern run --worktree NAME --prompt TEXT -- claude"');
}

const letters: Readonly<Record<ChangedFile["type"], string>> = {
  added: "A",
  changed: "M",
  removed: "D",
  renamed: "R",
  "type-changed": "T",
};

async function printChanges(session: string, json: boolean, context: CliContext): Promise<void> {
  const changes = await context.call("tasks.changes", { session });
  if (json) return await context.print(JSON.stringify(changes));
  const rows = changes.files.map((file) => [
    letters[file.type],
    file.isBinary ? "binary" : file.added === null ? "" : `+${file.added} -${file.removed}`,
    file.isCommitted ? "committed" : "",
    nameOf(file),
  ]);
  if (rows.length > 0) await printTable([["", "LINES", "", "FILE"], ...rows], context);
  context.note(summaryOf(changes, context.addressOf(session)));
  warn(changes, context);
}

/** Names what is executed later, before anybody merges it. */
function warn({ executedLater, innerRepositories }: Changes, context: CliContext): void {
  const executed = executedLater.map(
    ({ by, isOnlyCommitted, path }) => `${escapeForDisplay(path)} (${by}${isOnlyCommitted ? ", in a commit" : ""})`,
  );
  const inner = innerRepositories.map((path) => `${escapeForDisplay(path)} (a repository)`);
  const texts = [...executed, ...inner];
  if (texts.length === 0) return;
  const more = texts.length > NAMES_MAX ? ` and ${texts.length - NAMES_MAX} more` : "";
  const text = `READ FIRST, it may be executed later: ${texts.slice(0, NAMES_MAX).join(", ")}${more}`;
  context.note(context.errorStyle.red(text));
}

const nameOf = ({ from, path }: ChangedFile): string => escapeForDisplay(from === null ? path : `${from} -> ${path}`);

function summaryOf({ commits, files, innerRepositories, total, uncommitted, worktree }: Changes, name: string): string {
  const cut = total > files.length ? ` (${files.length} shown)` : "";
  const inner =
    innerRepositories.length === 0 ? "" : `; not read: ${innerRepositories.map(escapeForDisplay).join(", ")}`;
  const base = worktree.baseName ?? worktree.base.slice(0, 10);
  return `${name}: ${total} ${total === 1 ? "file" : "files"}${cut} against ${escapeForDisplay(base)}, ${uncommitted.total} not committed, ${commits} ${commits === 1 ? "commit" : "commits"}${inner}`;
}

async function printDiff(session: string, files: readonly string[], json: boolean, context: CliContext): Promise<void> {
  const { style } = context;
  const wanted = files.length === 0 ? [undefined] : files;
  // Read first: if a file changes before its patch is read, a commit with this fingerprint is refused.
  const changes = await context.call("tasks.changes", { session });
  const { fingerprint } = changes;
  warn(changes, context);
  for (const path of wanted) {
    const found = await context.call("tasks.diff", { session, path, bytesMax: DIFF_BYTES_MAX });
    if (json) await context.print(JSON.stringify({ ...(path !== undefined && { path }), ...found, fingerprint }));
    else if (context.stdout.isTTY) await context.write(painted(found.patch, style));
    else await context.write(found.patch);
    if (found.patch === "" && !json) context.note(path === undefined ? "No changes" : `No changes in "${path}"`);
    if (found.isCut) context.note(`lectern: cut after ${DIFF_BYTES_MAX} bytes; name a file to see it`);
  }
}

/** On a terminal the text of an agent is shown, and does nothing there. */
const painted = (patch: string, style: Style): string =>
  patch
    .split("\n")
    .map((line) => {
      const text = line.split("\t").map(escapeForDisplay).join("\t");
      if (/^(?:diff|index|---|\+\+\+) /.test(line)) return style.bold(text);
      if (line.startsWith("@@")) return style.dim(text);
      if (line.startsWith("+")) return style.green(text);
      return line.startsWith("-") ? style.red(text) : text;
    })
    .join("\n");

interface CommitOptions {
  readonly message: string | undefined;
  readonly fingerprint: string | undefined;
  readonly hooks: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

async function commit(session: string, options: CommitOptions, context: CliContext): Promise<number> {
  const { fingerprint, hooks, json, message, yes } = options;
  if (message === undefined) throw new LecternError("USAGE", "Missing the message: give --message TEXT");
  const isAsked = fingerprint === undefined && !yes && !json && context.stdin.isTTY && context.stdout.isTTY;
  const confirm = isAsked ? await askToCommit(session, context) : fingerprint;
  if (!isAsked) warn(await context.call("tasks.changes", { session }), context);
  if (confirm === null) return 1;
  const done = await context.call("tasks.commit", { session, message, hooks, confirm });
  await context.print(json ? JSON.stringify(done) : `${done.commit} on ${escapeForDisplay(done.branch)}`);
  return 0;
}

/** Names what is committed. The fingerprint of that if the person agrees; null if not. */
async function askToCommit(session: string, context: CliContext): Promise<string | null> {
  const changes = await context.call("tasks.changes", { session });
  const { fingerprint, uncommitted } = changes;
  // The daemon says why there is nothing to commit.
  if (uncommitted.total === 0) return fingerprint;
  context.note(`Committed: ${namesOf(uncommitted)}`);
  context.note(`${summaryOf(changes, context.addressOf(session))}; fingerprint ${fingerprint}`);
  warn(changes, context);
  return (await isConfirmed(`Commit ${filesOf(uncommitted.total)}?`, context)) ? fingerprint : null;
}

const filesOf = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;

function namesOf({ files, total }: { readonly files: readonly string[]; readonly total: number }): string {
  const names = files.slice(0, NAMES_MAX).map(escapeForDisplay);
  const more = total - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What is lost is named first, and exactly that is lost. */
async function discard(
  { files, session }: { readonly session: string; readonly files: readonly string[] },
  { json, yes }: { readonly json: boolean; readonly yes: boolean },
  context: CliContext,
): Promise<number> {
  const changes = await context.call("tasks.changes", { session });
  const { fingerprint, uncommitted } = changes;
  const chosen = files.map((path) => openFile(path, changes));
  const lost = files.length === 0 ? uncommitted : { files, total: files.length };
  if (lost.total === 0) {
    context.note(`Nothing to discard in "${context.addressOf(session)}"`);
    return 0;
  }
  if (!yes) {
    context.note(`Lost: ${namesOf(lost)}`);
    if (!(await isConfirmed(`Discard ${filesOf(lost.total)}?`, context))) return 1;
  }
  const wanted =
    files.length === 0 ? [{ confirm: fingerprint }] : chosen.map(({ path, version }) => ({ path, confirm: version }));
  const done = { files: 0, head: changes.head };
  for (const input of wanted) done.files += (await context.call("tasks.discard", { session, ...input })).files;
  await context.print(json ? JSON.stringify(done) : `${done.files} discarded`);
  return 0;
}

/** A file of the list that is not committed. */
function openFile(path: string, { files }: Changes): ChangedFile {
  const file = files.find((each) => each.path === path && !each.isCommitted);
  if (file !== undefined) return file;
  const names = files.filter(({ isCommitted }) => !isCommitted).slice(0, NAMES_MAX);
  const known = names.length === 0 ? "" : `; not committed are: ${names.map(nameOf).join(", ")}`;
  throw new LecternError("NOT_FOUND", `There is nothing to discard in "${path}"${known}`);
}

/** False as well at the end of the input, and after Ctrl-C. */
async function isConfirmed(question: string, { signal, stdin, stdout }: CliContext): Promise<boolean> {
  if (!stdin.isTTY) throw new LecternError("USAGE", "Cannot ask without a terminal: give --yes to discard them");
  const { createInterface } = await import("node:readline/promises");
  using lines = createInterface({ input: stdin, output: stdout, terminal: true });
  const ended = new AbortController();
  lines.on("close", () => ended.abort());
  const until = AbortSignal.any([signal, ended.signal]);
  // Rejects only if one of the two is aborted.
  const answer = await lines.question(`${question} [y/N] `, { signal: until }).catch(() => "");
  return /^y(es)?$/i.test(answer.trim());
}

const PLACE = /^(.+):(\d+)$/;

/** Each is about a line of the new file, as the diff numbers it. */
async function comment(session: string, words: readonly string[], json: boolean, context: CliContext): Promise<number> {
  const comments: LineComment[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const [, path, number] = PLACE.exec(words[at] ?? "") ?? [];
    const text = words[at + 1];
    if (path === undefined || text === undefined)
      throw new LecternError("USAGE", `Cannot read the comment "${words[at]}": wanted FILE:LINE and TEXT`);
    const line = Number(number);
    const { patch } = await context.call("tasks.diff", { session, path, bytesMax: DIFF_BYTES_MAX });
    const lines = readPatch(patch).flatMap((hunk) => hunk.lines);
    const code = lines.find(({ newNumber }) => newNumber === line)?.text;
    if (code === undefined)
      throw new LecternError(
        "NOT_FOUND",
        `Line ${line} of "${path}" is not in the changes: see "lectern task diff ${context.addressOf(session)}"`,
      );
    comments.push({ path, line, isRemoved: false, code, text });
  }
  if (comments.length === 0) throw new LecternError("USAGE", "Missing the comments: give FILE:LINE and TEXT");
  const receipt = await context.call("sessions.prompt", { session, text: reviewPrompt(comments) });
  await context.print(json ? JSON.stringify(receipt) : `${receipt.state} (key ${receipt.key})`);
  return receipt.state === "failed" ? 1 : 0;
}

async function merge(
  session: string,
  { fingerprint, into, json }: Pick<CommitOptions, "fingerprint" | "json"> & { readonly into: string | undefined },
  context: CliContext,
): Promise<number> {
  warn(await context.call("tasks.changes", { session }), context);
  const done = await context.call("tasks.merge", { session, into, confirm: fingerprint });
  const { checkout, commit: merged, conflicts } = done;
  if (json) await context.print(JSON.stringify(done));
  else if (merged !== null)
    await context.print(`${merged} on ${escapeForDisplay(done.into)}${checkout === null ? "" : `, in ${checkout}`}`);
  if (merged !== null) return 0;
  const ask = `lectern prompt ${context.addressOf(session)} '${conflictPrompt(done.into).replaceAll("'", String.raw`'\''`)}'`;
  const names = namesOf({ files: conflicts, total: conflicts.length });
  context.note(
    `Nothing is merged: both sides have changed ${names}; let the agent resolve it, then merge again: ${ask}`,
  );
  return 1;
}

async function push(
  session: string,
  wanted: { readonly remote: string | undefined; readonly pullRequest: boolean; readonly json: boolean },
  context: CliContext,
): Promise<void> {
  warn(await context.call("tasks.changes", { session }), context);
  const { json, pullRequest, remote } = wanted;
  const done = await context.call("tasks.push", { session, remote, pullRequest });
  if (json) return await context.print(JSON.stringify(done));
  if (done.answer !== "") context.note(done.answer.split("\n").map(escapeForDisplay).join("\n"));
  const place = `${done.commit} on ${escapeForDisplay(done.branch)}, at ${escapeForDisplay(done.address)}`;
  await context.print(done.pullRequest === null ? place : escapeForDisplay(done.pullRequest));
}

/** Names the ignored files that go with the directory. False if the person does not want that. */
async function mayRemove(session: string, yes: boolean, context: CliContext): Promise<boolean> {
  const ignored = await context.call("tasks.ignored", { session }).catch(() => undefined);
  if (ignored === undefined || ignored.total === 0) return true;
  context.note(`Removed with it, because git ignores them: ${namesOf(ignored)}`);
  if (yes || !context.stdin.isTTY || !context.stdout.isTTY) return true;
  return await isConfirmed("Remove the worktree?", context);
}

interface RemoveOptions {
  readonly branch: string | undefined;
  readonly force: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

async function remove(
  session: string,
  { branch, force, json, yes }: RemoveOptions,
  context: CliContext,
): Promise<number> {
  if (!(await mayRemove(session, yes || json, context))) return 1;
  const wanted = branch === "keep" || branch === "delete" ? branch : "merged";
  const done = await context.call("tasks.remove", { session, force, branch: wanted });
  const commits = done.commits === 1 ? "1 commit" : `${done.commits} commits`;
  const after = done.isBranchRemoved ? "removed" : `kept, with ${commits}`;
  await context.print(
    json
      ? JSON.stringify(done)
      : `${escapeForDisplay(done.path)} removed; branch "${escapeForDisplay(done.branch)}" ${after}`,
  );
  return 0;
}

const isMissing = (cause: NodeJS.ErrnoException): boolean => cause.code === "ENOENT";

/** The editor is one of this terminal, so the directory is on this machine. */
async function openInEditor(session: string, context: CliContext): Promise<number> {
  const { name, worktree } = await context.call("sessions.get", { session });
  if (worktree === null) throw new LecternError("CONFLICT", `Session "${name}" has no worktree; see "lectern task ls"`);
  const { environment, host } = context;
  const editor = environment["VISUAL"] ?? environment["EDITOR"];
  if (host !== undefined || editor === undefined || editor.trim() === "") {
    const why = host === undefined ? "set VISUAL or EDITOR to open it" : `it is on ${host}`;
    context.note(`The worktree of "${context.addressOf(name)}"; ${why}:`);
    await context.print(escapeForDisplay(worktree.path));
    return 0;
  }
  const { spawn } = await import("node:child_process");
  const [program = "", ...words] = editor.trim().split(/\s+/);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(program, [...words, worktree.path], { cwd: worktree.path, stdio: "inherit" });
  child.once("error", (cause) => {
    reject(
      new LecternError(
        "COMMAND_NOT_FOUND",
        `Cannot start the editor "${program}" of VISUAL or EDITOR: ${isMissing(cause) ? "it was not found" : cause.message}`,
        { cause },
      ),
    );
  });
  child.once("close", (code) => resolve(code ?? 1));
  return await promise;
}
