/** The library without a daemon: each program runs in this process, as a `LiveSession`. */
import type { CliHome } from "../../e2e/cli-home.ts";
import { openSession, type LiveSession, type SessionOptions } from "../../../src/index.ts";
import { WAIT_MS_MAX, type Reach } from "../reach.ts";
import {
  outputIn,
  readableRecord,
  refusesBoth,
  takeItems,
  word,
  type Call,
  type Fields,
  type Offer,
  type Offers,
  type Way,
} from "../way.ts";

/** The sessions of one case, by id and name. */
class Sessions {
  readonly #open = new Map<string, LiveSession>();
  readonly #environment: CliHome["environment"];

  constructor(environment: CliHome["environment"]) {
    this.#environment = environment;
  }

  async create({ command, ...options }: Fields): Promise<LiveSession> {
    const words = command as [string, ...string[]];
    const session = await openSession(words, { environment: this.#environment, ...(options as SessionOptions) });
    const { id, name } = await session.info();
    this.#open.set(id, session).set(name, session);
    return session;
  }

  of(reference: unknown): LiveSession {
    const session = this.#open.get(String(reference));
    if (session === undefined) throw new Error(`The case has no session "${String(reference)}"`);
    return session;
  }

  async close(): Promise<void> {
    const all = new Set(this.#open.values());
    this.#open.clear();
    await Promise.all([...all].map((session) => session.close()));
  }
}

export function localWay({ home }: Pick<Reach, "home">): Way {
  const sessions = new Sessions(home.environment);
  return {
    name: "local",
    offers: offersOf(sessions),
    programs: {
      start: async (input) => void (await sessions.create(input)),
      untilOutput: async (session, pattern) => {
        const wanted = new RegExp(pattern, "u");
        let text = "";
        for await (const record of sessions.of(session).output({ signal: AbortSignal.timeout(WAIT_MS_MAX) })) {
          if (record.type === "output") text += Buffer.from(record.bytes).toString();
          if (wanted.test(text)) return;
        }
        throw new Error(`The output of "${session}" ended without ${pattern}: ${text}`);
      },
      untilExit: async (session) => {
        await sessions.of(session).ended({ signal: AbortSignal.timeout(WAIT_MS_MAX) });
      },
      clear: () => sessions.close(),
    },
    isShared: false,
    [Symbol.asyncDispose]: () => sessions.close(),
  };
}

const START = "command name workingDirectory columns rows agent trustText eventSchemas shellIntegration".split(" ");

function offersOf(sessions: Sessions): Offers {
  /** A method of the session that the input names. */
  const of = (
    takes: readonly string[],
    gives: readonly string[] | undefined,
    run: (session: LiveSession, input: Fields, isLast: Call["isLast"]) => Promise<unknown>,
  ): Offer => ({
    takes: ["session", ...takes],
    ...(gives && { gives }),
    call: async ({ input: { session, ...input }, isLast }) => await run(sessions.of(session), input, isLast),
  });
  return {
    "sessions.create": { takes: START, call: async ({ input }) => await (await sessions.create(input)).info() },
    "sessions.get": of([], undefined, (session) => session.info()),
    "sessions.status": of([], ["status"], async (session) => ({ status: await session.status() })),
    "sessions.screen": of([], ["text"], async (session) => ({ text: await session.screen() })),
    "sessions.messages": of(["last", "roles"], ["messages"], async (session, input) => ({
      messages: await session.messages(input),
    })),
    "sessions.kill": of([], [], (session) => session.kill()),
    "sessions.resize": of(["columns", "rows"], [], (session, size) =>
      session.resize(size as { columns: number; rows: number }),
    ),
    "sessions.input": {
      ...of(["text", "data"], [], (session, { text, data }) =>
        session.write(data === undefined ? word(text) : Buffer.from(word(data), "base64")),
      ),
      refuses: refusesBoth,
    },
    "sessions.keys": of(["keys"], [], (session, { keys }) => session.press(...(keys as string[]))),
    "sessions.exec": of(
      ["command", "timeoutMs", "outputBytesMax", "inside"],
      ["ran", "reason", "ended", "asks", "output", "exact", "exitCode", "omitted"],
      (session, { command, outputBytesMax, ...options }) =>
        session.run(String(command), {
          ...options,
          ...(outputBytesMax !== undefined && { maxOutputBytes: Number(outputBytesMax) }),
        }),
    ),
    "sessions.prompt": of(
      ["text", "key", "whenEmpty", "literal", "force", "shell", "waitMs", "throughQuestions", "dueUs", "afterLimit"],
      undefined,
      (session, { text, ...options }) => session.prompt(word(text), options),
    ),
    "sessions.output": of(["from"], undefined, async (session, input) => {
      const parts = await takeItems(session.output(input), () => false);
      return { text: outputIn(parts.map((part) => readableRecord(part as Fields))) };
    }),
    "sessions.updates": of(["from", "kinds"], undefined, async (session, input, isLast) => ({
      items: await takeItems(session.updates(input), isLast),
    })),
    "approvals.list": of([], ["approvals"], async (session) => ({ approvals: await session.approvals() })),
    "approvals.answer": of(["approval", "option", "digest"], undefined, (session, { approval, option, digest }) =>
      session.answer({ id: String(approval), digest: String(digest) }, String(option)),
    ),
  };
}
