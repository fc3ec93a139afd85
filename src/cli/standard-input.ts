import { LecternError } from "../core/errors.ts";
import type { CliContext } from "./context.ts";

/** Throws `TOO_LARGE` above `bytesMax` bytes; `what` is a noun for the message, such as "a prompt". */
export async function readInput({ stdin }: CliContext, what: string, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new LecternError("TOO_LARGE", `Cannot send ${what} of more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
