import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import type { Session } from "../../protocol/session.ts";
import type { ValueOf } from "../../core/config/sections.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { hasConfigFiles } from "../config-files.ts";
import type { CliContext } from "../context.ts";
import { sessionFlags, sessionInputs } from "../session-flags.ts";
import { foundLines } from "../sandbox-text.ts";
import { exitCodeOf } from "../../protocol/exit-code.ts";
import { defaultDetachKeys, parseDetachKeys } from "../terminal/detach-keys.ts";

export const run = defineCommand({
  name: "run",
  reachesHosts: true,
  summary: "Start a program in a new session and attach to it",
  details: [
    "Exits with the exit code of the program, which inherits the environment and directory of this shell.",
    `Detach with ${defaultDetachKeys} and return with "lectern attach"; the program keeps running.`,
  ],
  optionsFirst: true,
  arguments: [{ name: "command", summary: "Program and arguments, without a shell", count: "many" }],
  options: {
    detach: { type: "flag", short: "d", summary: "Print the name of the session instead of attaching" },
    ...sessionFlags,
    "detach-keys": { type: "text", placeholder: "KEYS", summary: `Default: ${defaultDetachKeys}` },
    json: jsonOption,
  },
  examples: [
    "lectern run -- bash",
    "lectern run -d --name web --label project=shop -- npm start",
    "lectern run make -j4",
    "lectern run --agent like:claude -- ./my-wrapper",
    "lectern run --worktree fix-login --prompt 'fix the login test' -- claude",
    "lectern run --sandbox --wire --policy policy.yaml -- claude",
  ],
  async run({ arguments: { command }, options }, context) {
    const defaults = await defaultsOf(context);
    const detachKeys = options["detach-keys"] ?? defaults?.detachKeys ?? defaultDetachKeys;
    parseDetachKeys(detachKeys);
    const isDetached = options.detach || (options.count ?? 1) > 1;
    const inputs = await sessionInputs(command, options, { context, defaults, isDetached });
    const [session, ...others] = await startAll(inputs, context);
    if (session.gate?.mode === "log-only") {
      context.note(
        context.errorStyle.yellow("The policy is log-only: it decides and writes down, and refuses nothing"),
      );
    }
    if (session.sandbox?.backend === "none") {
      context.note(
        context.errorStyle.red("NO SANDBOX: it runs without walls, because none can be made here; see lectern doctor"),
      );
    }
    if (isDetached) {
      for (const each of [session, ...others])
        await context.print(options.json ? JSON.stringify(each) : context.addressOf(each.name));
      return 0;
    }
    const sized = options.cols !== undefined || options.rows !== undefined;
    return view(session, { detachKeys, sized, mustGate: options["must-gate"] }, context);
  },
});

/** Starts them in their order. If one cannot be started, those before it run, and are named. */
async function startAll(
  inputs: Awaited<ReturnType<typeof sessionInputs>>,
  context: CliContext,
): Promise<readonly [Session, ...Session[]]> {
  const [first, ...more] = inputs;
  const started: [Session, ...Session[]] = [await context.call("sessions.create", first)];
  noteLeftOut(started[0], context);
  for (const input of more) {
    try {
      started.push(await context.call("sessions.create", input));
    } catch (error) {
      context.note(`lectern: started before that: ${started.map(({ name }) => context.addressOf(name)).join(", ")}`);
      throw error;
    }
  }
  return started;
}

function noteLeftOut({ worktree }: Session, context: CliContext): void {
  if (worktree === null || worktree.leftOut === 0) return;
  const files = worktree.leftOut === 1 ? "1 file with changes" : `${worktree.leftOut} files with changes`;
  context.note(
    context.errorStyle.yellow(
      `The worktree starts at the commit: ${files} of your checkout, not committed, are not in it`,
    ),
  );
}

/** Nothing of the configuration is loaded where no file has it. */
async function defaultsOf(context: CliContext): Promise<ValueOf<"run"> | undefined> {
  if (!hasConfigFiles(context.workingDirectory, context)) return undefined;
  return await (await import("../run-defaults.ts")).runDefaults(context);
}

async function view(
  session: Session,
  options: { readonly detachKeys: string; readonly sized: boolean; readonly mustGate: boolean },
  context: CliContext,
): Promise<number> {
  const { viewSession } = await import("../terminal/attached-session.ts");
  const { detachKeys } = options;
  if (context.stdout.isTTY && context.stderr.isTTY && detachKeys !== "none")
    context.note(`[${session.name}: ${detachKeys} leaves it running]`);
  const end = await viewSession(
    await context.client(),
    {
      session: session.id,
      from: 0,
      readOnly: false,
      detachKeys,
      takesSize: !options.sized,
      endOfInput: true,
    },
    context,
  );
  if (end.reason === "exit") {
    if (session.sandbox?.setAside === null) await reportFound(session, context);
    await checkGate(session, { mustGate: options.mustGate }, context);
    return exitCodeOf(end.exit);
  }
  context.note(`[detached from ${session.name}: lectern attach ${context.addressOf(session.name)}]`);
  return 0;
}

const SEARCH_MS_MAX = 3_000;
const SEARCH_PAUSE_MS = 50;

/** The daemon searches the directory when the program has ended. */
async function reportFound({ id }: Session, context: CliContext): Promise<void> {
  for (let leftMs = SEARCH_MS_MAX; leftMs > 0; leftMs -= SEARCH_PAUSE_MS) {
    const { sandbox } = await context.call("sessions.get", { session: id });
    if (sandbox === null) return;
    for (const line of foundLines(sandbox)) context.note(context.errorStyle.red(line));
    if (sandbox.setAside !== null) return;
    await delay(SEARCH_PAUSE_MS);
  }
  context.note(
    `lectern: what the program may have put here is still searched: see "lectern info ${id}" before you use this directory`,
  );
}

/** A session that bypassed the gateway, or sent no request, is reported; with `mustGate` it throws `NOT_GATED`. */
async function checkGate(
  { gate: begun, id, name }: Session,
  { mustGate }: { readonly mustGate: boolean },
  context: CliContext,
): Promise<void> {
  if (begun === null) return;
  const { gate } = await context.call("sessions.get", { session: id });
  if (gate?.state !== "not-gated") return;
  const next = `see its settings for an address of its own, and "lectern audit --session ${name}"`;
  const message = `Session "${name}" was not gated: ${gate.evidence}; ${next}`;
  if (mustGate) throw new LecternError("NOT_GATED", message);
  context.note(context.errorStyle.yellow(message));
}
