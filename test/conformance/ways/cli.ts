/** The command line, as a process for each call. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable, type ErrorCode } from "../../../src/core/errors.ts";
import { type Problem } from "../../../src/protocol/errors.ts";
import type { CliHome, Result } from "../../e2e/cli-home.ts";
import { daemonPrograms, type Reach } from "../reach.ts";
import { readableRecord, refusesBoth, word, WayError, type Call, type Fields, type Offer, type Way } from "../way.ts";

interface Command {
  readonly takes: readonly string[];
  readonly gives?: readonly string[];
  readonly refuses?: Offer["refuses"];
  readonly words: (input: Fields, home: CliHome) => readonly string[];
  readonly stdin?: (input: Fields) => string;
  /** The answer of the operation from what is printed. Default: one JSON document. */
  readonly answer?: (stdout: string) => unknown;
}

/** `--name VALUE` for each field that is given; a flag for one that is true. */
function options(input: Fields, names: Readonly<Record<string, string>>): string[] {
  return Object.entries(names).flatMap(([field, option]) => {
    const value = input[field];
    if (value === undefined || value === false) return [];
    return value === true ? [option] : [option, word(value)];
  });
}

const json = (stdout: string): unknown => JSON.parse(stdout);
const lines = (stdout: string): Fields[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Fields);
const text = (stdout: string): Fields => ({ text: stdout });
const records = (stdout: string): Fields[] => lines(stdout).map(readableRecord);

const milliseconds = (value: unknown): string => `${String(value)}ms`;

/** A file in the directory of the case. */
function fileWith(home: CliHome, content: unknown): string {
  const path = join(home.directory, `${randomUUID()}.yaml`);
  writeFileSync(path, word(content));
  return path;
}

/** Text that could be read as an option follows `--`. */
const typed = (value: unknown): string[] => ["--", word(value)];

function conditionOf(condition: unknown): string {
  const { type, pattern, quietMs, states, name } = condition as Fields;
  switch (type) {
    case "output":
      return `output:${word(pattern)}`;
    case "quiet":
      return `quiet:${word(quietMs)}`;
    case "status":
      return `status:${(states as string[]).join(",")}`;
    case "event":
      return `event:${word(name)}`;
    default:
      return word(type);
  }
}

const lifecycle: Readonly<Record<string, Command>> = {
  "sessions.create": {
    takes: "command name labels workingDirectory columns rows mode summaries trustText agent shellIntegration".split(
      " ",
    ),
    words: ({ command, labels = {}, mode, shellIntegration, ...input }) => [
      "run",
      "--detach",
      "--json",
      ...options(input, {
        name: "--name",
        workingDirectory: "--cwd",
        columns: "--cols",
        rows: "--rows",
        summaries: "--summaries",
        trustText: "--trust-text",
        agent: "--agent",
      }),
      ...Object.entries(labels as Fields).flatMap(([key, value]) => ["--label", `${key}=${word(value)}`]),
      ...(mode === "exec" ? ["--exec"] : []),
      ...(shellIntegration === false ? ["--no-shell-integration"] : []),
      "--",
      ...(command as string[]),
    ],
  },
  "sessions.list": {
    takes: ["state", "label"],
    words: (input) => ["ls", "--all", "--json", ...options(input, { state: "--state", label: "--label" })],
  },
  "sessions.get": { takes: ["session"], words: ({ session }) => ["info", word(session), "--json"] },
  "sessions.update": {
    takes: ["session", "name", "labels"],
    refuses: ({ name, labels }) => (name !== undefined && labels !== undefined ? "labels" : undefined),
    words: ({ session, name, labels }) =>
      labels === undefined
        ? ["rename", word(session), word(name), "--json"]
        : ["label", word(session), ...Object.entries(labels as Fields).map(changeOf), "--json"],
  },
  "sessions.remove": {
    takes: ["session", "force"],
    words: (input) => ["rm", word(input["session"]), "--json", ...options(input, { force: "--force" })],
  },
  "sessions.resize": {
    takes: ["session", "columns", "rows"],
    words: ({ session, columns, rows }) => ["resize", word(session), `${word(columns)}x${word(rows)}`, "--json"],
  },
  "sessions.signal": {
    takes: ["session", "signal"],
    words: ({ session, signal }) => ["signal", word(session), word(signal), "--json"],
  },
  "sessions.kill": {
    takes: ["session", "graceMs"],
    words: ({ session, graceMs }) => [
      "kill",
      word(session),
      "--json",
      ...(graceMs === undefined ? [] : ["--grace", milliseconds(graceMs)]),
    ],
  },
  "sessions.import": {
    takes: ["name", "recording"],
    words: (input) => ["import", "-", "--json", ...options(input, { name: "--name" })],
    stdin: ({ recording }) => word(recording),
  },
};

const changeOf = ([key, value]: [string, unknown]): string => (value === null ? `${key}-` : `${key}=${word(value)}`);

const typing: Readonly<Record<string, Command>> = {
  "sessions.input": {
    takes: ["session", "text", "data", "enter", "paste", "secret", "take"],
    refuses: refusesBoth,
    words: ({ session, text: wanted, data, ...input }) => [
      "send",
      word(session),
      "--json",
      ...options(input, { enter: "--enter", paste: "--paste", secret: "--secret", take: "--take" }),
      ...typed(data === undefined ? wanted : "-"),
    ],
    stdin: ({ data }) => (data === undefined ? "" : Buffer.from(word(data), "base64").toString()),
  },
  "sessions.keys": {
    takes: ["session", "keys", "take"],
    words: ({ session, keys, ...input }) => [
      "key",
      word(session),
      ...(keys as unknown[]).map(word),
      "--json",
      ...options(input, { take: "--take" }),
    ],
  },
  "sessions.prompt": {
    takes: [
      "session",
      "text",
      "key",
      "whenEmpty",
      "literal",
      "force",
      "shell",
      "waitMs",
      "throughQuestions",
      "dueUs",
      "afterLimit",
    ],
    words: ({ session, text: wanted, waitMs, dueUs, ...input }) => [
      "prompt",
      word(session),
      "--json",
      ...options(input, {
        key: "--key",
        whenEmpty: "--when-empty",
        literal: "--literal",
        force: "--force",
        shell: "--shell",
        afterLimit: "--after-limit",
        throughQuestions: "--through-questions",
      }),
      ...(dueUs === undefined ? [] : ["--at", new Date(Number(dueUs) / 1000).toISOString()]),
      ...(waitMs === undefined ? [] : ["--wait", "--timeout", milliseconds(waitMs)]),
      ...typed(wanted),
    ],
  },
  "sessions.cancel": {
    takes: ["session", "key"],
    words: ({ session, key }) => ["prompt", word(session), "--cancel", word(key), "--json"],
  },
  "sessions.exec": {
    takes: ["session", "command", "timeoutMs", "outputBytesMax", "inside", "prompt", "raw"],
    words: ({ session, command, timeoutMs, ...input }) => [
      "exec",
      word(session),
      "--json",
      ...options(input, { outputBytesMax: "--max-bytes", inside: "--inside", prompt: "--prompt", raw: "--raw" }),
      ...(timeoutMs === undefined ? [] : ["--timeout", milliseconds(timeoutMs)]),
      ...typed(command),
    ],
  },
  "sessions.wait": {
    takes: ["session", "for", "from", "timeoutMs"],
    words: ({ session, for: condition, timeoutMs, ...input }) => [
      "wait",
      word(session),
      "--json",
      "--for",
      conditionOf(condition),
      ...options({ ...input, ...(condition as Fields) }, { from: "--from", trust: "--trust" }),
      ...(timeoutMs === undefined ? [] : ["--timeout", milliseconds(timeoutMs)]),
    ],
  },
};

const reading: Readonly<Record<string, Command>> = {
  "sessions.logs": {
    takes: ["session", "tail", "from"],
    gives: ["text"],
    words: (input) => ["logs", word(input["session"]), ...options(input, { tail: "--tail", from: "--from" })],
    answer: text,
  },
  "sessions.records": {
    takes: ["session", "from"],
    gives: ["records"],
    words: (input) => ["logs", word(input["session"]), "--json", ...options(input, { from: "--from" })],
    answer: (stdout) => ({ records: records(stdout) }),
  },
  "sessions.follow": {
    takes: ["session", "from"],
    words: (input) => ["logs", word(input["session"]), "--follow", "--json", ...options(input, { from: "--from" })],
    answer: (stdout) => ({ items: records(stdout) }),
  },
  "sessions.output": {
    takes: ["session", "from", "follow"],
    words: (input) => [
      "logs",
      word(input["session"]),
      "--raw",
      ...options(input, { from: "--from", follow: "--follow" }),
    ],
    answer: text,
  },
  "sessions.export": {
    takes: ["session", "format"],
    words: (input) => ["export", word(input["session"]), ...options(input, { format: "--format" })],
    answer: text,
  },
  "sessions.events": {
    takes: ["session", "from", "name", "trust"],
    gives: ["events"],
    words: (input) => [
      "events",
      word(input["session"]),
      "--json",
      ...options(input, { from: "--from", name: "--name", trust: "--trust" }),
    ],
    answer: (stdout) => ({ events: lines(stdout) }),
  },
  "sessions.search": {
    takes: ["words", "session", "role", "hitsMax"],
    words: ({ words, ...input }) => [
      "search",
      "--json",
      ...options(input, { session: "--session", role: "--role", hitsMax: "--limit" }),
      ...typed(words),
    ],
  },
  "sessions.screen": {
    takes: ["session", "scrollback", "ansi"],
    words: (input) => ["screen", word(input["session"]), "--json", ...options(input, { scrollback: "--scrollback" })],
  },
  "sessions.status": { takes: ["session"], words: ({ session }) => ["status", word(session), "--json"] },
  "sessions.messages": {
    takes: ["session", "last"],
    gives: ["messages"],
    words: (input) => ["chat", word(input["session"]), "--json", ...options(input, { last: "--last" })],
    answer: (stdout) => ({ messages: lines(stdout) }),
  },
  "sessions.digest": {
    takes: ["session", "turn"],
    words: (input) => ["digest", word(input["session"]), "--json", ...options(input, { turn: "--turn" })],
  },
  "sessions.reindex": { takes: ["session"], words: ({ session }) => ["reindex", word(session), "--json"] },
};

const deciding: Readonly<Record<string, Command>> = {
  "approvals.list": {
    takes: ["session"],
    gives: ["approvals", "hints"],
    words: (input) => ["approvals", "--json", ...options(input, { session: "--session" })],
    answer: (stdout) => {
      const asked = lines(stdout);
      return {
        approvals: asked.filter(({ whyHint }) => whyHint === null),
        hints: asked.filter(({ whyHint }) => whyHint !== null),
      };
    },
  },
  "approvals.answer": {
    takes: ["session", "approval", "option", "digest", "by"],
    words: ({ session, approval, option, ...input }) => [
      "approve",
      word(session),
      word(approval),
      word(option),
      "--json",
      ...options(input, { digest: "--digest", by: "--by" }),
    ],
  },
  "audit.list": {
    takes: ["session", "limit"],
    gives: ["rows"],
    words: (input) => ["audit", "ls", "--json", ...options(input, { session: "--session", limit: "--tail" })],
    answer: (stdout) => ({ rows: lines(stdout) }),
  },
  "audit.open": { takes: [], words: () => ["audit", "open", "--json"] },
  "audit.verify": { takes: [], words: () => ["audit", "verify", "--json"] },
  "policy.check": {
    takes: ["policy"],
    words: ({ policy }, home) => ["policy", "check", fileWith(home, policy), "--json"],
  },
  "policy.replay": {
    takes: ["session", "policy"],
    gives: ["calls", "counts", "changed", "decidedBy", "leftOut"],
    words: ({ session, policy }, home) => ["policy", "replay", fileWith(home, policy), word(session), "--json"],
  },
  "blobs.get": { takes: ["hash"], words: ({ hash }) => ["blob", word(hash)], answer: text },
};

const administration: Readonly<Record<string, Command>> = {
  "daemon.info": { takes: [], words: () => ["info", "--json"] },
  "daemon.reload": { takes: [], words: () => ["reload", "--json"] },
  "daemon.agents": { takes: [], words: () => ["agents", "list", "--all", "--json"] },
  "tokens.create": {
    takes: ["scope", "session", "label", "expiresInSeconds"],
    words: ({ expiresInSeconds, ...input }) => [
      "token",
      "create",
      "--json",
      ...options(input, { scope: "--scope", session: "--session", label: "--label" }),
      ...(expiresInSeconds === undefined ? [] : ["--expires", `${word(expiresInSeconds)}s`]),
    ],
  },
  "tokens.list": { takes: [], words: () => ["token", "ls", "--json"] },
  "tokens.revoke": {
    takes: ["token"],
    words: ({ token }) => ["token", "revoke", word(token)],
    answer: (stdout) => ({ id: stdout.trim() }),
  },
};

const notices: Readonly<Record<string, Command>> = {
  "notify.list": {
    takes: ["state", "limit"],
    words: (input) => ["notify", "ls", "--json", ...options(input, { state: "--state", limit: "--limit" })],
  },
  "notify.test": { takes: ["channel"], words: ({ channel }) => ["notify", "test", word(channel), "--json"] },
  "notify.retry": {
    takes: ["ids"],
    words: ({ ids = [] }) => ["notify", "retry", ...(ids as string[])],
    answer: (stdout) => ({ ids: stdout.split("\n").filter((line) => line !== "") }),
  },
  "notify.remove": {
    takes: ["notice"],
    words: ({ notice }) => ["notify", "rm", word(notice)],
    answer: (stdout) => ({ id: stdout.trim() }),
  },
};

const commands = { ...notices, ...administration, ...lifecycle, ...typing, ...reading, ...deciding };

export function cliWay({ home }: Reach): Way {
  const offers = Object.entries(commands).map(([name, command]) => [name, offerOf(home, command)] as const);
  return {
    name: "cli",
    offers: Object.fromEntries(offers),
    programs: daemonPrograms(home.client),
    isShared: true,
    [Symbol.asyncDispose]: async () => {},
  };
}

function offerOf(home: CliHome, { takes, gives, refuses, words, stdin, answer = json }: Command): Offer {
  return {
    takes,
    ...(gives && { gives }),
    ...(refuses && { refuses }),
    call: async ({ input }: Call) => {
      const given = words(input, home);
      const result = await home.run(given, stdin === undefined ? {} : { input: stdin(input) });
      const error = errorOf(result, given);
      if (error !== undefined) throw error;
      return answer(result.stdout);
    },
  };
}

/** Exit codes other than 0 are also results, such as that of a command; an error prints nothing else. */
function errorOf({ code, stderr, stdout }: Result, words: readonly string[]): WayError | undefined {
  if (code === 0 || stdout !== "") return undefined;
  const last = stderr.trimEnd().split("\n").at(-1) ?? "";
  if (words.includes("--json") && last.startsWith("{")) {
    const { code: name, detail } = JSON.parse(last) as Problem;
    assert.equal(code, errorTable[name].exitCode, `the exit code of ${last}`);
    return new WayError([name], detail);
  }
  const codes = Object.entries(errorTable).flatMap(([name, { exitCode }]) => (exitCode === code ? [name] : []));
  return new WayError(codes as ErrorCode[], last);
}
