/** Ends the daemon. */
import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { forgetEnd, noteEnd, untilStopped } from "../daemon-process.ts";

export const down = defineCommand({
  name: "down",
  aliases: ["stop"],
  summary: "End the daemon; the programs go on, and the next daemon finds them again",
  details: [
    "What follows a session (attach, logs -f, wait, ...) starts no daemon then: it waits 10 seconds for the next one, as in",
    "lectern down && lectern up, and ends. The next command starts one.",
  ],
  arguments: [],
  options: {
    programs: { type: "flag", summary: "End all programs too" },
    json: jsonOption,
  },
  examples: ["lectern down", "lectern down --programs"],
  async run({ options }, context) {
    const client = options.programs ? await clientForPrograms(context) : await context.runningClient();
    if (client === undefined) {
      if (options.json) await context.print(JSON.stringify({ pid: null }));
      else context.note("No daemon runs");
      return 0;
    }
    // Before it goes: who follows a session asks at once.
    noteEnd(context.paths);
    const stopped = await client.call("daemon.stop", { programs: options.programs }).catch((cause: unknown) => {
      forgetEnd(context.paths);
      throw cause;
    });
    await untilStopped(client, context.paths, stopped.pid);
    if (options.json) await context.print(JSON.stringify(stopped));
    else
      context.note(
        options.programs ? "The daemon and all programs have ended" : "The daemon has ended; programs go on",
      );
    return 0;
  },
});

/** Programs go on without a daemon, so one is needed to end them. One of another version may not know how. */
async function clientForPrograms(context: CliContext): Promise<LecternClient> {
  try {
    return await context.client();
  } catch (cause) {
    if (!(cause instanceof LecternError) || cause.code !== "VERSION_MISMATCH") throw cause;
    const message =
      'Cannot end the programs through a daemon of another version: run "lectern down", which ends that daemon, and then "lectern down --programs" again';
    throw new LecternError("VERSION_MISMATCH", message, { cause });
  }
}
