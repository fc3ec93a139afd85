import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";

/** Input per request. */
const PIECE_BYTES = 512 * 1024;
/** Time without progress after which the program is assumed not to read. */
const STALLED_MS_MAX = 30_000;

export const send = defineCommand({
  name: "send",
  summary: "Type text into a session",
  details: [
    "The words are joined by spaces. With - as the only word, standard input is typed unchanged, as fast as the program",
    "reads it. A program that reads whole lines gets at most 4,095 bytes of each from the kernel: longer ones are refused.",
  ],
  arguments: [sessionArgument, { name: "text", summary: "What to type, or - for standard input", count: "many" }],
  options: {
    enter: { type: "flag", short: "e", summary: "Press Enter after the text" },
    paste: { type: "flag", short: "p", summary: "Send a bracketed paste: line feeds do not submit" },
    take: { type: "flag", summary: "Take over from another writer" },
    secret: { type: "flag", summary: "Mask the input in the recording" },
    json: jsonOption,
  },
  examples: [
    "lectern send build make test --enter",
    "git diff | lectern send reviewer --paste --enter -",
    "lectern send db --secret --enter - < password.txt",
  ],
  async run({ arguments: { session, text }, options }, context) {
    const how = { paste: options.paste, secret: options.secret, take: options.take };
    const call = (input: Omit<InputOf<"sessions.input">, "session">) =>
      context.call("sessions.input", { session, ...how, ...input });
    if (text.length !== 1 || text[0] !== "-") {
      const written = await call({ text: text.join(" "), enter: options.enter });
      if (options.json) await context.print(JSON.stringify(written));
      return;
    }
    let written: Awaited<ReturnType<typeof call>> | undefined;
    let bytes = 0;
    for await (const { piece, isLast } of piecesOf(context)) {
      if (options.paste && !(isLast && written === undefined))
        throw new LecternError("TOO_LARGE", `Cannot paste more than ${PIECE_BYTES} bytes at once: leave out --paste`);
      const input = { data: piece.toString("base64"), enter: options.enter && isLast };
      written = await whenRead(() => call(input), bytes, context);
      bytes += piece.length;
    }
    if (options.json) await context.print(JSON.stringify(written));
  },
});

/** Retries while the queue is full; a piece is accepted as a whole or not at all. Throws `LIMIT_EXCEEDED` if the program does not read. */
async function whenRead<Value>(
  type: () => Promise<Value>,
  bytesBefore: number,
  { signal }: CliContext,
): Promise<Value> {
  const deadline = performance.now() + STALLED_MS_MAX;
  for (;;) {
    try {
      return await type();
    } catch (cause) {
      if (!(cause instanceof LecternError) || cause.code !== "LIMIT_EXCEEDED") throw cause;
      if (performance.now() > deadline)
        throw new LecternError(
          "LIMIT_EXCEEDED",
          `Cannot type more than the first ${bytesBefore} bytes: the program has not read input for ${STALLED_MS_MAX / 1000} s`,
          { cause },
        );
    }
    await delay(waits.pollMs, undefined, { signal });
  }
}

/** Standard input in pieces; the last one may be empty. */
async function* piecesOf({ stdin }: CliContext): AsyncGenerator<{ readonly piece: Buffer; readonly isLast: boolean }> {
  let held = Buffer.alloc(0);
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    held = Buffer.concat([held, chunk]);
    while (held.length > PIECE_BYTES) {
      yield { piece: held.subarray(0, PIECE_BYTES), isLast: false };
      held = held.subarray(PIECE_BYTES);
    }
  }
  yield { piece: held, isLast: true };
}
