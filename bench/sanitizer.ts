/**
 * `Sanitizer` against `strip-ansi` and `util.stripVTControlCharacters`, from the bytes of a pty to text, in chunks of 16 KiB.
 * The peers get their text from a streaming TextDecoder; they do not resolve overwriting and are wrong at most cuts.
 *
 *   node bench/sanitizer.ts
 */
import { stripVTControlCharacters } from "node:util";
import stripAnsi from "strip-ansi";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { recordedOutput } from "../test/recordings.ts";
import { compare, report } from "./support/peers.ts";
import { chunksOf } from "./support/statistics.ts";

const CHUNK_BYTES = 16_384;
const INPUT_BYTES = 1_048_576;

function repeatToBytes(line: (index: number) => string): Uint8Array {
  let text = "";
  for (let index = 0; text.length < INPUT_BYTES; index++) text += line(index);
  return new TextEncoder().encode(text);
}

const colour = (index: number): string => `\u001B[${30 + (index % 8)};1m`;
const inputs: Readonly<Record<string, Uint8Array>> = {
  "plain text, LF": repeatToBytes(
    (index) => `line ${index} the quick brown fox jumps over the lazy dog, again and again\n`,
  ),
  "plain text, CRLF": repeatToBytes(
    (index) => `line ${index} the quick brown fox jumps over the lazy dog, again and again\r\n`,
  ),
  "plain text beyond ASCII": repeatToBytes(
    (index) => `wiersz ${index} zażółć gęślą jaźń — ✓ 日本語 jumps over the lazy dog\n`,
  ),
  "escape-heavy, listing": repeatToBytes(
    (index) =>
      `-rw-r--r-- 1 user user ${index} ${colour(index)}file-${index}.ts\u001B[0m  \u001B[01;34msrc\u001B[0m\u001B[K\r\n`,
  ),
  "escape-heavy, each word": repeatToBytes(
    (index) =>
      `${colour(index)}word${index}\u001B[0m \u001B[38;5;${index % 256}mother\u001B[39m\u001B[2m|\u001B[22m\r\n`,
  ),
  "screen of Claude Code": recordedOutput("claude-events-80x24.cast"),
  "screen of Gemini CLI": recordedOutput("gemini-encode-80x24.cast.gz"),
};

for (const [title, input] of Object.entries(inputs)) {
  const chunks = chunksOf(input, CHUNK_BYTES);
  const decoded = (strip: (text: string) => string) => (): number => {
    const decoder = new TextDecoder();
    let length = 0;
    for (const chunk of chunks) length += strip(decoder.decode(chunk, { stream: true })).length;
    return length;
  };
  const ours = (): number => {
    const sanitizer = new Sanitizer();
    let length = 0;
    for (const chunk of chunks) length += sanitizer.feed(chunk).length;
    return length + sanitizer.end().length;
  };
  const contenders = [
    { name: "Sanitizer", run: ours },
    { name: "strip-ansi", run: decoded(stripAnsi) },
    { name: "stripVTControlCharacters", run: decoded(stripVTControlCharacters) },
  ];
  report(title, compare(contenders, input.length));
}
