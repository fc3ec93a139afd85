/** What a program asked a terminal before this viewer came: an answer of now would be typed into it out of the blue. */

/**
 * Attributes, version, modes, keyboard, status and sizes (xterm's "Control Sequences"). The viewer filter has let nothing else through
 * that a terminal answers, and gives whole sequences, so that none is cut by the end of a chunk.
 */
const queries = /\u001b(?:Z|\[(?:[>=]?[\d;]*c|>[\d;]*q|\??[\d;]*\$p|\?u|\?[\d;]*m|\??[\d;]*n|1[468](?:;\d*)*t))/g;
const ESCAPE = 0x1b;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * What the viewer filter let through, without the questions; modes that are set stay. `bytes` itself where there is no escape
 * sequence in it.
 *
 * @example
 * ```ts
 * withoutQueries(new TextEncoder().encode("a\u001B[6nb")); // bytes of "ab"
 * ```
 */
export function withoutQueries(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(ESCAPE)) return bytes;
  return encoder.encode(decoder.decode(bytes).replaceAll(queries, ""));
}
