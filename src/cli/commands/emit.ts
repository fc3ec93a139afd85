import { emitEvent, eventAddress } from "../../client/emit.ts";
import { LecternError } from "../../core/errors.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { readInput } from "../standard-input.ts";

/** Slightly below the limit of the host, so that the error message names the payload. */
const PAYLOAD_BYTES_MAX = 990_000;

export const emit = defineCommand({
  name: "emit",
  summary: "Send a typed event from inside a session",
  details: [
    "For programs, scripts and tools in a session. Reads LECTERN_EVENT_SOCKET and LECTERN_SESSION, and",
    'works while the daemon is down. Read events with "lectern events SESSION".',
  ],
  arguments: [
    { name: "name", summary: "A letter, then at most 63 of A-Z a-z 0-9 _ . -" },
    { name: "payload", summary: "JSON, or - for standard input; default: null", count: "optional" },
  ],
  options: { json: jsonOption },
  examples: ["lectern emit TASK_COMPLETE", `lectern emit PROGRESS '{"done":3}'`, "lectern emit REPORT -"],
  async run({ arguments: { name, payload }, options }, context) {
    const address = eventAddress(context.environment);
    const value = parsePayload(
      payload === "-" ? await readInput(context, "a payload", PAYLOAD_BYTES_MAX) : (payload ?? "null"),
    );
    const emitted = await emitEvent(name, value, address, { signal: context.signal });
    if (options.json) await context.print(JSON.stringify(emitted));
  },
});

function parsePayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LecternError("INVALID_INPUT", `Cannot read the payload: ${reason}; quote it, as in '{"ok":true}'`, {
      cause,
    });
  }
}
