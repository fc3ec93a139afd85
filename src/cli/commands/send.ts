/** Types text into a session. */
import { LecternError } from "../../core/errors.ts";
import type { InputOf } from "../../protocol/operations.ts";
import { defineCommand, jsonOption, sessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";

/** One request takes this much. */
const PIECE_BYTES = 512 * 1024;

export const send = defineCommand({
  name: "send",
  aliases: [],
  summary: "Type text into a session",
  details: ["The words are joined by spaces. With - as the only word, standard input is typed as it is."],
  arguments: [sessionArgument, { name: "text", summary: "What to type, or - for standard input", count: "many" }],
  options: {
    enter: { type: "flag", short: "e", summary: "Press Enter after it" },
    paste: { type: "flag", short: "p", summary: "As a bracketed paste: line feeds do not run anything" },
    take: { type: "flag", summary: "Also while somebody else types" },
    secret: { type: "flag", summary: "Record it masked" },
    json: jsonOption,
  },
  examples: [
    "lectern send build make test --enter",
    "git diff | lectern send reviewer --paste --enter -",
    "lectern send db --secret --enter - < password.txt",
  ],
  async run({ arguments: { session, text }, options }, context) {
    const client = await context.client();
    const how = { paste: options.paste, secret: options.secret, take: options.take };
    const call = (input: Omit<InputOf<"sessions.input">, "session">) =>
      client.call("sessions.input", { session, ...how, ...input }, { signal: context.signal });
    if (text.length !== 1 || text[0] !== "-") {
      const written = await call({ text: text.join(" "), enter: options.enter });
      if (options.json) await context.print(JSON.stringify(written));
      return 0;
    }
    let written: Awaited<ReturnType<typeof call>> | undefined;
    for await (const { piece, isLast } of piecesOf(context)) {
      if (options.paste && !(isLast && written === undefined)) {
        throw new LecternError("TOO_LARGE", `Cannot paste more than ${PIECE_BYTES} bytes at once: leave out --paste`);
      }
      written = await call({ data: piece.toString("base64"), enter: options.enter && isLast });
    }
    if (options.json) await context.print(JSON.stringify(written));
    return 0;
  },
});

/** Standard input in pieces; there is always a last one, which may be empty. */
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
