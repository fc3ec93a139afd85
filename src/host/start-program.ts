/** Starts the program of a session, and writes down what crosses its pipes. */
import { isUtf8 } from "node:buffer";
import type { ProtocolMark } from "../core/records.ts";
import type { PipedProgram, PipedProgramOptions } from "../pty/piped-program.ts";
import type { Pty } from "../pty/pty.ts";
import { spawnPty } from "../pty/spawn.ts";
import type { SpawnRequest } from "./messages.ts";

/** Input that the program has not read yet; more is refused. */
export const INPUT_QUEUE_BYTES_MAX = 4 * 1024 * 1024;

type Connected = Pick<PipedProgramOptions, "environment" | "onMessages" | "onOutput" | "onExit">;

/** On a pty, or for the mode `acp` on pipes. Throws as `spawnPty` does. */
export function startProgram(
  request: SpawnRequest,
  piped: typeof PipedProgram | undefined,
  { onMessages, ...connected }: Connected,
): Pty {
  const { columns, mode, rows, workingDirectory } = request;
  const options = { command: wrapped(request), workingDirectory, columns, rows, ...connected };
  if (mode !== "acp") return spawnPty({ ...options, mode, inputQueueBytesMax: INPUT_QUEUE_BYTES_MAX });
  if (piped === undefined) throw new TypeError("The mode acp needs its program");
  return new piped({ ...options, onMessages });
}

/** Bytes of a pipe as they are kept: text where they are UTF-8. */
export function protocolMark(stream: ProtocolMark["stream"], chunk: Uint8Array): ProtocolMark {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  if (isUtf8(bytes)) return { type: "protocol", stream, text: bytes.toString() };
  return { type: "protocol", stream, text: bytes.toString("base64"), encoding: "base64" };
}

function wrapped({ command, launcher = [], wrapper = [] }: SpawnRequest): readonly [string, ...string[]] {
  const [program, ...words] = [...wrapper, ...launcher];
  return program === undefined ? command : [program, ...words, ...command];
}
