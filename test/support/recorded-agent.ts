/** A true recording of an agent as a program of that agent's name: it draws again what the agent drew. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const recordings = resolve(import.meta.dirname, "../fixtures/recordings");

export interface RecordedAgent {
  /** The name of the program. */
  readonly agent: string;
  /** File name of the recording, without `.gz`. */
  readonly cast: string;
  /** Seconds of the recording between which it is drawn; from then on the program waits. Default: all of it. */
  readonly fromS?: number;
  readonly untilS?: number;
  /** No pause is longer. Default 0.1. */
  readonly pauseS?: number;
  /** From this second on, pauses are so many times longer. */
  readonly slow?: { readonly fromS: number; readonly times: number };
  /** At the end it reads keys, as an agent with a question does, instead of sleeping. */
  readonly reads?: boolean;
  /** Begins with the first key. */
  readonly waitsForKey?: boolean;
  /** At each of these seconds it goes on with the next key. */
  readonly stopsS?: readonly number[];
  /** The only key that ends a stop. Default: any, also the answers of a terminal. */
  readonly stopKey?: string;
}

/** Writes the program into `bin` of a directory. Returns its path. */
export function writeRecordedAgent(directory: string, wanted: RecordedAgent): string {
  const {
    agent,
    cast,
    fromS = 0,
    untilS = 1e9,
    pauseS = 0.1,
    slow,
    reads = false,
    waitsForKey = false,
    stopsS = [],
    stopKey,
  } = wanted;
  const folder = join(directory, "bin");
  mkdirSync(folder, { recursive: true });
  const text = readCast(cast);
  const copy = join(folder, `${agent}.cast`);
  writeFileSync(copy, text);
  const program = join(folder, agent);
  const isGoing = stopKey === undefined ? "True" : `key in (${JSON.stringify(stopKey)}.encode(), b'')`;
  const lines = [
    "#!/usr/bin/env python3",
    "import json, sys, termios, time, tty",
    // Without a flush, which would drop a key that came before.
    "tty.setraw(0, termios.TCSANOW)",
    "def stop():",
    "    while True:",
    "        key = sys.stdin.buffer.read(1)",
    `        if ${isGoing}: return`,
    ...(waitsForKey ? ["sys.stdin.buffer.read(1)"] : []),
    `before = ${fromS}`,
    `stops = ${JSON.stringify(stopsS)}`,
    `for line in open(${JSON.stringify(copy)}):`,
    "    event = json.loads(line)",
    `    if isinstance(event, dict) or event[1] != 'o' or not ${fromS} <= event[0] < ${untilS}: continue`,
    "    while stops and event[0] >= stops[0]: stops.pop(0); stop()",
    `    times = ${slow === undefined ? 1 : `${slow.times} if event[0] >= ${slow.fromS} else 1`}`,
    `    time.sleep(min(${pauseS}, max(0, event[0] - before)) * times)`,
    "    before = event[0]",
    "    sys.stdout.buffer.write(event[2].encode())",
    "    sys.stdout.flush()",
    reads ? "while sys.stdin.buffer.read(1): pass" : "time.sleep(3600)",
  ];
  writeFileSync(program, lines.join("\n"), { mode: 0o755 });
  return program;
}

/** Recordings are kept as they are, or compressed. */
function readCast(cast: string): Buffer {
  try {
    return readFileSync(join(recordings, cast));
  } catch {
    return gunzipSync(readFileSync(join(recordings, `${cast}.gz`)));
  }
}
