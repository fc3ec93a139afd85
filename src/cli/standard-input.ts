import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import type { CliContext } from "./context.ts";
import { platform, procPath } from "../pty/platform.ts";

/** Throws `TOO_LARGE` above `bytesMax` bytes; `what` is a noun for the message, such as "a prompt". */
export async function readInput({ stdin }: CliContext, what: string, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new LecternError("TOO_LARGE", `Cannot send ${what} of more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const read = Buffer.concat(chunks);
  if (!isUtf8(read)) throw new LecternError("INVALID_INPUT", `Cannot send ${what} that is not UTF-8`);
  return read.toString();
}

/** What Node makes of bytes that are not UTF-8. */
const REPLACED = "\ufffd";

/**
 * Throws `INVALID_INPUT` if words of this process are not UTF-8: Node has replaced their bytes, so another command would run. Only the kernel
 * has the bytes.
 */
export function assertUtf8Words(words: readonly string[]): void {
  const word = words.find((one) => one.includes(REPLACED));
  if (word === undefined || !platform.hasProc || isUtf8(readFileSync(procPath("self/cmdline")))) return;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot take ${JSON.stringify(word)}: it has bytes that are not UTF-8; write them as escapes, such as $'\\xff' inside of a command`,
  );
}
