/** Sends events from inside a session, over the socket that its environment names. For Node; it needs no daemon. */
import { connect } from "node:net";
import { LecternError, type ErrorCode } from "../core/errors.ts";
import type { EventTrust } from "../core/records.ts";
import { waits } from "../core/waits.ts";

const ANSWER_BYTES_MAX = 64 * 1024;

/** The socket of the pty host, and what identifies the session. */
export interface EventAddress {
  readonly socket: string;
  readonly session: string;
  readonly nonce: string | undefined;
}

/** The offsets of an event in the journal, and how far it is trusted. */
export interface EmittedEvent {
  /** Its offset in the journal of the session. */
  readonly offset: number;
  readonly next: number;
  readonly trust: EventTrust;
}

/**
 * Reads the address for events from the environment of a program in a session. Throws `NOT_AVAILABLE` outside of a session.
 *
 * @example
 * ```ts
 * await emitEvent("TASK_COMPLETE", { steps: 3 }, eventAddress(process.env));
 * ```
 */
export function eventAddress(environment: Readonly<Record<string, string | undefined>>): EventAddress {
  const { LECTERN_EVENT_SOCKET: socket, LECTERN_SESSION: session, LECTERN_EVENT_NONCE: nonce } = environment;
  if (socket !== undefined && socket !== "" && session !== undefined && session !== "")
    return { socket, session, nonce };
  const missing = socket ? "LECTERN_SESSION" : "LECTERN_EVENT_SOCKET";
  throw new LecternError(
    "NOT_AVAILABLE",
    `Cannot send an event: ${missing} is not set, so this is not a session; start the program with "lectern run -- COMMAND"`,
  );
}

/**
 * Sends an event of a program in a session; `payload` is any JSON. Resolves when the event is in the journal. Rejects with
 * `HOST_UNREACHABLE` if the pty host does not answer within 10 s, with `CANCELLED`, or with the error of the host: `FORBIDDEN`,
 * `INVALID_INPUT`, `LIMIT_EXCEEDED`, `SESSION_NOT_FOUND`, `TOO_LARGE`.
 */
export async function emitEvent(
  name: string,
  payload: unknown,
  address: EventAddress,
  options: { readonly signal?: AbortSignal } = {},
): Promise<EmittedEvent> {
  const { session, nonce } = address;
  const line = JSON.stringify({ session, name, payload: payload ?? null, ...(nonce === undefined ? {} : { nonce }) });
  return receiptOf(await exchange(address.socket, `${line}\n`, options.signal), address.socket);
}

/** One line out, one line back. */
function exchange(path: string, line: string, signal: AbortSignal | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(path);
  const fail = (reason: string, cause?: Error): void => {
    socket.destroy();
    reject(
      signal?.aborted === true
        ? new LecternError("CANCELLED", "The event was cancelled; it may have been written down")
        : new LecternError("HOST_UNREACHABLE", `Cannot send the event to "${path}": ${reason}`, { cause }),
    );
  };
  const abort = (): void => fail("cancelled");
  const timer = setTimeout(() => fail(`no answer in ${waits.arrivalMs} ms`), waits.arrivalMs);
  let answer = "";
  socket.on("connect", () => socket.write(line));
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString();
    const end = answer.indexOf("\n");
    if (end !== -1) {
      resolve(answer.slice(0, end));
      socket.destroy();
    } else if (answer.length > ANSWER_BYTES_MAX) fail("its answer has no end");
  });
  socket.on("error", (cause) => fail("the pty host has ended or does not answer", cause));
  socket.on("close", () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    fail("it hung up without an answer");
  });
  if (signal?.aborted === true) abort();
  else signal?.addEventListener("abort", abort);
  return promise;
}

function receiptOf(answer: string, path: string): EmittedEvent {
  const parsed = parseAnswer(answer);
  if (parsed === undefined)
    throw new LecternError("HOST_UNREACHABLE", `Cannot read the answer of "${path}": it may belong to another program`);
  if (!parsed.ok) throw new LecternError(parsed.code, parsed.message);
  const { offset, next, trust } = parsed;
  return { offset, next, trust };
}

type Answer =
  | ({ readonly ok: true } & EmittedEvent)
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** The host is trusted; this only checks that the answer has its form. */
function parseAnswer(text: string): Answer | undefined {
  try {
    const value = JSON.parse(text) as Answer | null;
    return typeof value?.ok === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}
