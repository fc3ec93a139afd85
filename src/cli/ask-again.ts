/** Questions that change nothing and may wait long: where the daemon dies meanwhile, the next one is asked. */
import { setTimeout as delay } from "node:timers/promises";
import type { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { CliContext } from "./context.ts";

/** A daemon that dies so often at the same question will not answer it. */
const TRIES_MAX = 5;

/** The daemon is gone, or says that it ends. */
export const isAway = (error: unknown): error is LecternError =>
  error instanceof LecternError && (error.code === "DAEMON_UNREACHABLE" || error.code === "DRAINING");

/** For what follows: before it connects again, the daemon of now is found, or started where none runs. */
export const withDaemon =
  ({ client }: Pick<CliContext, "client">) =>
  async (): Promise<void> =>
    void (await client());

/** The answer of the daemon of now, which is started where none runs. Throws what `ask` throws, but for a daemon that went away. */
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
