/** Runs the connection of one editor: finds or starts the agent's session, and ends with the editor. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { AcpLines } from "../../../core/acp/acp-lines.ts";
import { LecternError } from "../../../core/errors.ts";
import type { Session } from "../../../protocol/session.ts";
import { startPlaceOf, type CliContext } from "../../../cli/context.ts";
import { AgentLink } from "../daemon/agent-link.ts";
import { EditorProxy } from "./editor-proxy.ts";

export interface ProxyOptions {
  readonly command: readonly [string, ...string[]];
  /** Undefined for a new session with a name of its own. */
  readonly name: string | undefined;
  /** The agent goes on without the editor. */
  readonly isKept: boolean;
}

const CONNECTION_ID_BYTES = 6;

export async function runProxy(options: ProxyOptions, context: CliContext): Promise<void> {
  const running = await runningSession(options, context);
  let session = running ?? (await startAgent(options, context));
  await using links = new AsyncDisposableStack();
  const open = async (): Promise<AgentLink> =>
    links.use(await AgentLink.open(directoryOf(session, context), session.id));
  const proxy = await EditorProxy.join(
    await open(),
    {
      toEditor: (bytes) => context.write(bytes),
      toErrors: (bytes) => void context.stderr.write(bytes),
      startAgain: async () => {
        session = await startAgent({ ...options, name: session.name }, context);
        return await open();
      },
    },
    running === undefined ? null : randomBytes(CONNECTION_ID_BYTES).toString("hex"),
  );
  const editor = new AbortController();
  const signal = AbortSignal.any([editor.signal, context.signal]);
  try {
    await serve(proxy, { signal, end: () => editor.abort() }, context);
  } finally {
    editor.abort();
    if (!options.isKept) await context.call("sessions.kill", { session: session.id }).catch(ignoreEnded);
  }
}

/** Until the editor closes its side, or does not read any more. */
async function serve(
  proxy: EditorProxy,
  { signal, end }: { readonly signal: AbortSignal; readonly end: () => void },
  { stdin }: CliContext,
): Promise<void> {
  const lines = new AcpLines();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const follow = (pump: Promise<void>): void => void pump.catch((error: unknown) => failed.reject(error));
  follow(proxy.pump(signal));
  const read = async (): Promise<void> => {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
      for (const line of lines.feed(chunk)) {
        const pump = await proxy.take(line, signal);
        if (pump !== null) follow(pump.promise);
      }
  };
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  try {
    await Promise.race([read(), aborted, failed.promise]);
  } finally {
    end();
    stdin.destroy();
  }
}

/** Undefined if there is none of this name. Throws `CONFLICT` for one that is not this agent. */
async function runningSession({ command, name }: ProxyOptions, context: CliContext): Promise<Session | undefined> {
  if (name === undefined) return undefined;
  const { sessions } = await context.call("sessions.list", {});
  const found = sessions.find((session) => session.name === name && session.state === "running");
  if (found === undefined) return undefined;
  const isSame = found.options.mode === "acp" && JSON.stringify(found.command) === JSON.stringify(command);
  if (isSame) return found;
  throw new LecternError("CONFLICT", `Cannot continue session "${name}": it runs another command; use another --name`);
}

const startAgent = async ({ command, name }: ProxyOptions, context: CliContext): Promise<Session> =>
  await context.call("sessions.create", { command: [...command], name, mode: "acp", ...startPlaceOf(context) });

const directoryOf = ({ id }: Session, { paths }: CliContext): string => join(paths.sessionsDirectory, id);

function ignoreEnded(error: unknown): void {
  if (!(error instanceof LecternError && (error.code === "SESSION_ENDED" || error.code === "SESSION_NOT_FOUND")))
    throw error;
}
