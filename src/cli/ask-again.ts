/** Repeats read-only calls, which may wait long, if the daemon ends meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import type { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { CliContext } from "./context.ts";

/** A call that ended so many daemons is given up. */
const TRIES_MAX = 5;

/** The daemon has ended or is shutting down, or the connection to its machine broke. */
export const isAway = (error: unknown): error is LecternError =>
  error instanceof LecternError &&
  (error.code === "DAEMON_UNREACHABLE" || error.code === "DRAINING" || error.code === "MACHINE_AWAY");

/** A `beforeReconnect` that finds the current daemon or starts one. */
export const withDaemon =
  ({ client }: Pick<CliContext, "client">) =>
  async (): Promise<void> =>
    void (await client());

/** Calls `ask` with the current daemon, which is started if necessary. Throws what `ask` throws, except for a daemon that ended. */
export async function askAgain<Answer>(
  { client, signal }: Pick<CliContext, "client" | "signal">,
  ask: (client: LecternClient) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const asked = await client();
    try {
      return await ask(asked);
    } catch (error) {
      if (!isAway(error) || tries === TRIES_MAX) throw error;
    }
    await delay(waits.checkMs, undefined, { signal });
  }
}
