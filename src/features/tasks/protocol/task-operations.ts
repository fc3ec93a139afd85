/** Operations on the worktree of a session: what its agent changed, and what becomes of it. */
import * as z from "zod";
import { branchSchema, nameSchema } from "../../../protocol/names.ts";
import { sessionWorktreeSchema, stateSchema } from "../../../protocol/session.ts";
import { define, queryFlag, queryInt, session } from "../../../protocol/operations/define.ts";

/** What was shown: if the files have changed since, the operation is refused. */
const confirm = z.string().max(64);

const changedFileSchema = z.strictObject({
  path: z.string(),
  /** The name that it had; null if it is not renamed. */
  from: z.string().nullable(),
  type: z.enum(["added", "changed", "removed", "renamed", "type-changed"]),
  /** Lines; null for a binary file, and if there are too many files to count. */
  added: z.int().nullable(),
  removed: z.int().nullable(),
  isBinary: z.boolean(),
  /** A repository inside of this one: only its commit is compared. */
  isSubmodule: z.boolean(),
  /** The branch has it as it is now. */
  isCommitted: z.boolean(),
  /** Changes with the content of the file. */
  version: z.string(),
});

export const taskOperations = {
  "tasks.list": define({
    summary: "List the worktrees of sessions, newest first",
    endpoint: "GET /v1/tasks",
    scope: "read",
    cli: ["task"],
    input: z.strictObject({}),
    output: z.strictObject({
      tasks: z.array(
        z.strictObject({
          worktree: sessionWorktreeSchema,
          exists: z.boolean(),
          /** That run or ran in it, newest first. */
          sessions: z.array(z.strictObject({ id: z.string(), name: nameSchema, state: stateSchema })),
        }),
      ),
    }),
  }),
  "tasks.changes": define({
    summary: "List the files that differ in the worktree of a session from the base of its branch",
    endpoint: "GET /v1/sessions/{session}/task/changes",
    scope: "read",
    cli: ["task"],
    input: z.strictObject({ session }),
    output: z.strictObject({
      worktree: sessionWorktreeSchema,
      /** The branch that is checked out now; null if none is. */
      branch: z.string().nullable(),
      /** The commit that is checked out now. */
      head: z.string(),
      /** Commits since the base. */
      commits: z.int(),
      /** Committed or not, staged or not, and files that git does not know. At most 2,000. */
      files: z.array(changedFileSchema),
      /** How many there are. */
      total: z.int(),
      /** What is not committed: at most 200 names, and how many there are. */
      uncommitted: z.strictObject({ files: z.array(z.string()), total: z.int() }),
      /** Those that a program executes by itself, and who: in the worktree, or only in a commit of the branch. At most 50. */
      executedLater: z.array(z.strictObject({ path: z.string(), by: z.string(), isOnlyCommitted: z.boolean() })),
      /** Repositories inside of the worktree, of which nothing is read. At most 20. */
      innerRepositories: z.array(z.string()),
      /** Changes with the files. */
      fingerprint: z.string(),
    }),
  }),
  "tasks.diff": define({
    summary: "Show the patch of one file, or of all, against the base of the branch",
    endpoint: "GET /v1/sessions/{session}/task/diff",
    scope: "read",
    cli: ["task"],
    input: z.strictObject({
      session,
      /** As in `tasks.changes`. */
      path: z.string().min(1).max(4096).optional(),
      /** The name that it had. */
      from: z.string().min(1).max(4096).optional(),
      contextLines: queryInt(z.int().min(0).max(1000)).default(3),
      bytesMax: queryInt(z.int().min(1024).max(8_388_608)).default(1_048_576),
    }),
    output: z.strictObject({
      /** As `git diff` prints it. The text of the files is the agent's. */
      patch: z.string(),
      /** It is longer than `bytesMax`. */
      isCut: z.boolean(),
    }),
  }),
  "tasks.commit": define({
    summary: "Commit everything that differs in the worktree of a session on its branch; hooks run only if asked for",
    endpoint: "POST /v1/sessions/{session}/task/commit",
    scope: "write",
    person: true,
    cli: ["task"],
    input: z.strictObject({
      session,
      message: z.string().min(1).max(65_536),
      /** The `fingerprint` of the changes that were shown. */
      confirm: confirm.optional(),
      /** Run `git commit` as in a terminal: hooks, filters and settings of the repository run, which the agent may have written. */
      hooks: z.boolean().default(false),
    }),
    output: z.strictObject({ commit: z.string(), branch: z.string(), files: z.int() }),
  }),
  "tasks.discard": define({
    summary: "Discard what is not committed in the worktree of a session: everything, or one file",
    endpoint: "POST /v1/sessions/{session}/task/discard",
    scope: "write",
    person: true,
    cli: ["task"],
    input: z.strictObject({
      session,
      /** Only this file, as in `tasks.changes`; a renamed one has its former name again. */
      path: z.string().min(1).max(4096).optional(),
      /** The `fingerprint` of the changes that were shown, and with `path` the `version` of that file: exactly they are lost. */
      confirm,
    }),
    output: z.strictObject({ files: z.int(), head: z.string() }),
  }),
  "tasks.ignored": define({
    summary: "List the ignored files in the worktree of a session, which are removed with it",
    endpoint: "GET /v1/sessions/{session}/task/ignored",
    scope: "read",
    cli: ["task"],
    input: z.strictObject({ session }),
    /** At most 200 names, those of directories with a slash at their end, and how many there are. */
    output: z.strictObject({ files: z.array(z.string()), total: z.int() }),
  }),
  "tasks.merge": define({
    summary:
      "Merge the branch of a session's worktree into the branch it came from; conflicts are named, and change nothing",
    endpoint: "POST /v1/sessions/{session}/task/merge",
    scope: "write",
    person: true,
    cli: ["task"],
    input: z.strictObject({
      session,
      /** Default: the branch that was checked out when the task began, or its base. */
      into: branchSchema.optional(),
      /** The `fingerprint` of the changes that were shown. */
      confirm: confirm.optional(),
    }),
    output: z.strictObject({
      into: z.string(),
      /** Its new commit, or the one that it had if nothing was left to merge; null if there are conflicts. */
      commit: z.string().nullable(),
      /** Files that both sides have changed. */
      conflicts: z.array(z.string()),
      /** The directory in which that branch is checked out, whose files have followed. */
      checkout: z.string().nullable(),
    }),
  }),
  "tasks.push": define({
    summary: "Push the branch of a session's worktree to a remote, and open a pull request there if asked for",
    endpoint: "POST /v1/sessions/{session}/task/push",
    scope: "write",
    person: true,
    cli: ["task"],
    input: z.strictObject({
      session,
      /** A remote of the repository. */
      remote: nameSchema.default("origin"),
      /** Into the branch that the task came from: by `gh`, or by GitLab itself. */
      pullRequest: z.boolean().default(false),
      /** The `fingerprint` of the changes that were shown. */
      confirm: confirm.optional(),
    }),
    output: z.strictObject({
      remote: z.string(),
      /** Without user and password. */
      address: z.string(),
      branch: z.string(),
      commit: z.string(),
      /** What the server printed, such as where to open a pull request. */
      answer: z.string(),
      /** Its address; null if none was asked for, or the server has not named it. */
      pullRequest: z.string().nullable(),
    }),
  }),
  "tasks.remove": define({
    summary: "Remove the worktree of ended sessions; the branch stays unless it is merged",
    endpoint: "DELETE /v1/sessions/{session}/task",
    scope: "write",
    person: true,
    cli: ["task"],
    input: z.strictObject({
      session,
      /** Also with changes that are not committed, which are lost. */
      force: queryFlag.default(false),
      /** `merged`: the branch is removed if its commits are in the branch it came from. `delete`: its commits are lost. */
      branch: z.enum(["keep", "merged", "delete"]).default("merged"),
    }),
    output: z.strictObject({ path: z.string(), branch: z.string(), isBranchRemoved: z.boolean(), commits: z.int() }),
  }),
} as const;
