/** Reads the recordings of `test/fixtures/recordings` for tests and benchmarks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const folder = join(import.meta.dirname, "fixtures", "recordings");

/** Everything that the program of an asciicast v2 recording wrote. */
export function recordedOutput(name: string): Uint8Array {
  const file = readFileSync(join(folder, name));
  const lines = (name.endsWith(".gz") ? gunzipSync(file) : file).toString("utf8").trim().split("\n").slice(1);
  const pieces = lines
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, kind]) => kind === "o")
    .map(([, , data]) => data);
  return new Uint8Array(Buffer.from(pieces.join("")));
}
