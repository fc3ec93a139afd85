import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { stopDaemon } from "../../daemon/daemon-process.ts";
import { readLastUp } from "../last-up.ts";

export const down = defineCommand({
  name: "down",
  summary: "Stop the daemon; programs keep running until the next one",
  details: [
    "Commands that follow a session (attach, logs -f, wait, ...) then wait 10 seconds for the next daemon, as in",
    "lectern down && lectern up, and exit without one. Any new command starts a daemon, which listens where this one did;",
    "not at an address beyond this machine that only a command line named. lectern up --no-tcp ends that.",
  ],
  arguments: [],
  options: {
    programs: { type: "flag", summary: "Also end all programs" },
    json: jsonOption,
  },
  examples: ["lectern down", "lectern down --programs"],
  async run({ options }, context) {
    const client = options.programs ? await clientForPrograms(context) : await context.runningClient();
    if (client === undefined) {
      if (options.json) await context.print(JSON.stringify({ pid: null }));
      else context.note("The daemon is not running");
      return;
    }
    const stopped = await stopDaemon(client, context.paths, options);
    if (options.json) await context.print(JSON.stringify(stopped));
    else
      context.note(
        (options.programs ? "Stopped the daemon and all programs" : "Stopped the daemon; programs keep running") +
          (readLastUp(context.paths)?.listening.tcp === true
            ? "; the next command starts it, and it listens again"
            : ""),
      );
  },
});

/** Starts a daemon if none is running, because only a daemon can end the programs. */
async function clientForPrograms(context: CliContext): Promise<LecternClient> {
  try {
    return await context.client();
  } catch (cause) {
    if (!(cause instanceof LecternError) || cause.code !== "VERSION_MISMATCH") throw cause;
    const message =
      'Cannot end the programs through a daemon of another version: run "lectern down", which stops that daemon, then "lectern down --programs" again';
    throw new LecternError("VERSION_MISMATCH", message, { cause });
  }
}
