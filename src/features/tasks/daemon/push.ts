/**
 * Pushes the branch of a task to a remote of its repository, and opens a pull request there by the user's own `gh`. The address is read from the
 * repository; all other settings are those of the user and of the shadow, so no hook, `core.sshCommand` or credential helper that an agent has
 * written there runs.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LecternError } from "../../../core/errors.ts";
import { git, tryGit } from "../../../daemon/git/run-git.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import type { Target } from "./commit.ts";
import { commonDirectoryOf } from "./shadow.ts";

const run = promisify(execFile);

interface WantedPush extends Target {
  readonly remote: string;
  readonly pullRequest: boolean;
}

/**
 * What is pushed to: `https://`, `ssh://`, `git://` or `HOST:PATH`. Not `ext::`, which runs a program, and no directory of this machine: an agent may
 * have put hooks there, which would run as the user.
 */
const ADDRESS = /^(?:(?:https?|ssh|git):\/\/\S+|(?![-/])[\w.@-]+:(?!:|\/\/)\S*)$/;
const PUSH_MS_MAX = 120_000;
const TITLE_CHARS_MAX = 200;
const COMMITS_MAX = 50;
/** Of what the server printed. */
const ANSWER_CHARS_MAX = 4000;

/** Throws `CONFLICT` with the next step if nothing was pushed, and `NOT_AVAILABLE` if all was done but the pull request. */
export async function pushTask(wanted: WantedPush): Promise<OutputOf<"tasks.push">> {
  const { head, pullRequest, remote, shadow, worktree } = wanted;
  const { branch } = worktree;
  const address = await addressOf(wanted);
  const request = pullRequest ? await describe(wanted) : undefined;
  // A GitLab server makes the request itself: docs.gitlab.com, "Push options".
  const isGitLab = /gitlab/i.test(address);
  const options =
    request === undefined || !isGitLab
      ? []
      : ["create", `target=${request.base}`, `title=${request.title}`].flatMap((option) => [
          "-o",
          `merge_request.${option}`,
        ]);
  const settings = ["core.hooksPath=/dev/null", "push.recurseSubmodules=no"].flatMap((setting) => ["-c", setting]);
  const words = [...settings, "push", "--porcelain", ...options, "--", address, `${head}:refs/heads/${branch}`];
  const own = shadow.run("none", { asPerson: true, msMax: PUSH_MS_MAX });
  const { code, problem, text } = await tryGit(words, {
    ...own,
    environment: { ...own.environment, GIT_TERMINAL_PROMPT: "0", GIT_ALLOW_PROTOCOL: "https:http:ssh:git" },
  });
  if (code !== 0) throw refused(wanted, `${text}\n${problem}`);
  const answer = [...problem.matchAll(/^remote: ?(.*?) *$/gm)].map(([, line]) => line).join("\n");
  const pushed = {
    remote,
    address: withoutSecret(address),
    branch,
    commit: head,
    answer: answer.trim().slice(0, ANSWER_CHARS_MAX),
  };
  if (request === undefined || isGitLab)
    return { ...pushed, pullRequest: /https?:\/\/\S+\/merge_requests\/\d+/.exec(answer)?.[0] ?? null };
  return { ...pushed, pullRequest: await openPullRequest({ ...request, address, branch, remote }) };
}

async function addressOf({ remote, worktree }: WantedPush): Promise<string> {
  const common = commonDirectoryOf(worktree);
  const names = [`remote.${remote}.pushurl`, `remote.${remote}.url`];
  for (const name of names) {
    const { text } = await tryGit(["config", "-z", "--get", name], {
      workingDirectory: common,
      environment: { GIT_DIR: common },
    });
    const address = text.split("\0", 1)[0] ?? "";
    if (address === "") continue;
    if (ADDRESS.test(address)) return address;
    throw new LecternError(
      "CONFLICT",
      `Cannot push to "${address}" of the remote "${remote}": push with git in "${worktree.repository}"`,
    );
  }
  const next = `"git remote add ${remote} ADDRESS" in "${worktree.repository}" adds it, --remote NAME names another one`;
  throw new LecternError(
    "CONFLICT",
    `Cannot push "${worktree.branch}": the repository has no remote "${remote}"; ${next}`,
  );
}

interface PullRequest {
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** Of one commit its message, of several their subjects. */
async function describe({ head, shadow, worktree }: WantedPush): Promise<PullRequest> {
  const { base, baseName, branch } = worktree;
  if (baseName === null)
    throw new LecternError(
      "CONFLICT",
      `Cannot open a pull request for "${branch}": it did not start from a branch; push it without one`,
    );
  const words = ["log", "-z", "--reverse", `--max-count=${COMMITS_MAX}`, "--format=%s%n%b", `${base}..${head}`];
  const messages = (await git(words, shadow.run("none"))).split("\0").filter((message) => message.trim() !== "");
  const [first = branch, ...more] = messages;
  const [subject = branch] = first.split("\n", 1);
  const body =
    more.length === 0
      ? first.slice(subject.length)
      : messages.map((message) => `- ${message.split("\n", 1)[0]}`).join("\n");
  return { base: baseName, title: (more.length === 0 ? subject : branch).slice(0, TITLE_CHARS_MAX), body: body.trim() };
}

function refused({ remote, worktree: { branch } }: WantedPush, problem: string): LecternError {
  const isBehind = /\[rejected\]|non-fast-forward|fetch first/.test(problem);
  const lines = problem.split("\n").map((line) => line.replace(/^(?:fatal|error|remote): */, "").trim());
  const told = lines.filter((line) => line !== "" && line !== "Done" && !line.startsWith("To "));
  const why = isBehind
    ? "it has commits of this branch that are not here; fetch them in the repository, and let the agent merge them"
    : withoutSecret(told.slice(0, 3).join(" ") || "git gave no reason");
  return new LecternError("CONFLICT", `Cannot push "${branch}" to "${remote}": ${why}`);
}

/** By `gh`, which takes all it needs from its words and is not in the worktree. Resolves with the address of the pull request. */
async function openPullRequest({
  address,
  base,
  body,
  branch,
  remote,
  title,
}: PullRequest & Record<"address" | "branch" | "remote", string>): Promise<string> {
  const [, host = "", path = ""] =
    /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+)(?::\d+\/|[:/])(.+?)(?:\.git)?\/?$/.exec(address) ?? [];
  const words = [
    "pr",
    "create",
    "--repo",
    `${host}/${path}`,
    "--head",
    branch,
    "--base",
    base,
    "--title",
    title,
    "--body",
    body,
  ];
  const where = { cwd: "/", timeout: PUSH_MS_MAX, env: { ...process.env, GH_PROMPT_DISABLED: "1" } };
  const { stdout, problem } = await run("gh", words, where).then(
    (printed) => ({ ...printed, problem: printed.stderr }),
    (error: NodeJS.ErrnoException & { readonly stderr?: string }) => ({
      stdout: "",
      problem:
        error.code === "ENOENT" ? "gh is not installed (https://cli.github.com)" : (error.stderr ?? error.message),
    }),
  );
  const url = /https?:\/\/\S+\/pull\/\d+/.exec(stdout)?.[0];
  if (url !== undefined) return url;
  const why = problem.trim().split("\n").slice(0, 3).join(" ").replace(/[.:]$/, "") || "gh gave no reason";
  throw new LecternError(
    "NOT_AVAILABLE",
    `Pushed "${branch}" to "${remote}", but no pull request was opened: ${why}; then repeat this, or open it there`,
  );
}

const withoutSecret = (text: string): string => text.replaceAll(/(:\/\/)[^@/\s]*@/g, "$1");
