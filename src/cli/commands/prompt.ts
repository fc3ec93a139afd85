/** Sends a prompt to an agent, a shell or a REPL, once. */
import { randomUUID } from "node:crypto";
import { removeActing } from "../../core/text/escape.ts";
import { defineCommand, jsonOption, sessionArgument, TIMED_OUT_EXIT_CODE } from "../command.ts";
import { readInput } from "../standard-input.ts";

const HOUR_MS = 3_600_000;
const TEXT_BYTES_MAX = 262_144;
/** It would be typed. */
const LAST_LINE_END = /\r?\n$/;

export const prompt = defineCommand({
  name: "prompt",
  aliases: [],
  summary: "Send a prompt: typed once, when the program is at its prompt",
  details: [
    "It goes through accepted, echoed, submitted, working and done. Several lines are pasted as one. With --key the",
    "same prompt is never typed twice, also when the command is repeated or the daemon is killed in between.",
    "Exit codes: 0 taken (with --wait: done), 1 failed, 4 refused while a person is asked, 124 not done in time.",
  ],
  arguments: [sessionArgument, { name: "text", summary: "What to type; - reads standard input" }],
  options: {
    key: { type: "text", short: "k", placeholder: "KEY", summary: "The caller's name for this prompt" },
    wait: { type: "flag", short: "w", summary: "Until it is done or failed" },
    timeout: { type: "duration", short: "t", placeholder: "TIME", summary: "With --wait; default 10m" },
    json: jsonOption,
  },
  examples: ["lectern prompt claude 'fix the failing test' --wait", "lectern prompt claude - --key job-17 < task.md"],
  async run({ arguments: { session, text }, options }, context) {
    const client = await context.client();
    const wanted =
      text === "-" ? (await readInput(context, "a prompt", TEXT_BYTES_MAX)).replace(LAST_LINE_END, "") : text;
    const waitMs = options.wait ? Math.min(options.timeout ?? 600_000, HOUR_MS) : 0;
    const key = options.key ?? randomUUID();
    // It may have been typed when the wait is broken off: with its key it can be asked for again.
    const tell = (): void => context.note(`lectern: ${brokenOff(session, key)}`);
    if (options.wait) context.signal.addEventListener("abort", tell, { once: true });
    const receipt = await client.call(
      "sessions.prompt",
      { session, text: wanted, key, waitMs },
      { signal: context.signal },
    );
    context.signal.removeEventListener("abort", tell);
    if (options.json) await context.print(JSON.stringify(receipt));
    else {
      const reason = receipt.reason === null ? "" : `: ${removeActing(receipt.reason)}`;
      await context.print(`${receipt.state} (key ${receipt.key})${reason}`);
    }
    if (receipt.state === "failed") return 1;
    return options.wait && receipt.state !== "done" ? TIMED_OUT_EXIT_CODE : 0;
  },
});

const brokenOff = (session: string, key: string): string =>
  `the prompt stays submitted; "lectern status ${session}" and "lectern chat ${session}" show what comes of it, the same command with --key ${key} waits again`;
