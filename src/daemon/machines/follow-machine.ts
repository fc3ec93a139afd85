/** What the daemon on another machine tells: one stream, opened again after it broke. */
import { LecternClient } from "../../client/client.ts";
import { delay, reconnectDelayMs } from "../../client/reconnect.ts";
import type { Transport } from "../../client/transport.ts";
import { LecternError } from "../../core/errors.ts";
import { CHANGE_KINDS, type ChangeKind } from "../../core/views/change.ts";
import { waits } from "../../core/waits.ts";
import { updateOn } from "../../protocol/machine-updates.ts";
import type { DaemonUpdate, LocalUpdate } from "../../protocol/views.ts";
import type { Machines } from "./machines.ts";

export interface FollowMachineOptions {
  readonly machines: Pick<Machines, "transport">;
  readonly name: string;
  readonly kinds: readonly ChangeKind[];
  readonly signal: AbortSignal;
  /** Each connection begins with a `list`. */
  readonly onUpdate: (update: DaemonUpdate) => void;
  /** Called with the reason when there is no connection, and with what ends the pause before the next attempt. */
  readonly onFailure: (reason: string, tryNow: () => void) => void;
}

/** Resolves when the signal is aborted. */
export async function followMachine(options: FollowMachineOptions): Promise<void> {
  const { signal, onFailure } = options;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const { reason, wasConnected } = await followOnce(options);
    if (signal.aborted) return;
    if (wasConnected) attempt = 0;
    const pause = new AbortController();
    onFailure(reason, () => pause.abort());
    const delayMs = reconnectDelayMs(attempt, waits.reconnectMs, Math.random());
    await delay(delayMs, AbortSignal.any([pause.signal, signal]));
  }
}

/** One connection, and why it ended. */
async function followOnce({
  machines,
  name,
  kinds,
  signal,
  onUpdate,
}: FollowMachineOptions): Promise<{ readonly reason: string; readonly wasConnected: boolean }> {
  let wasConnected = false;
  const silent = new AbortController();
  try {
    const transport = machines.transport(name, "read");
    using _watch = watchForSilence(transport, silent);
    const updates = new LecternClient(transport).daemonUpdates({
      kinds,
      list: true,
      over: "socket",
      attemptsMax: 0,
      signal: AbortSignal.any([signal, silent.signal]),
    });
    for await (const update of updates) {
      wasConnected = true;
      if (isPassed(update)) onUpdate(updateOn(name, update));
    }
    return { reason: "the connection ended", wasConnected };
  } catch (error) {
    if (silent.signal.aborted) return { reason: `the daemon on "${name}" does not answer`, wasConnected };
    const isBroken = error instanceof LecternError && error.code === "DAEMON_UNREACHABLE";
    const reason = error instanceof Error ? error.message : String(error);
    return { reason: isBroken ? `the connection to "${name}" broke` : reason, wasConnected };
  }
}

const passed: ReadonlySet<unknown> = new Set(["list", "approvals", "session", "activity", ...CHANGE_KINDS]);

/** Not what a daemon there knows of other machines, or of its log, which is read there, or what a later one adds. */
const isPassed = (update: DaemonUpdate): update is LocalUpdate => passed.has(update.kind);

/** A daemon that hangs breaks no connection: it is asked for a sign of life, and `silent` is aborted without one. */
function watchForSilence(transport: Transport, silent: AbortController): Disposable {
  const ask = async (): Promise<void> => {
    try {
      const signal = AbortSignal.timeout(waits.answerMs);
      const response = await transport.request({ method: "GET", path: "/healthz", headers: {}, signal });
      response.cancel();
    } catch {
      silent.abort();
    }
  };
  const timer = setInterval(() => void ask(), waits.answerMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
