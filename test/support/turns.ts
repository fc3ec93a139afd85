/** Programs that answer in pieces with gaps between them, and one turn with each: typed, and watched until the kernel says that it waits again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ForegroundLook } from "../../src/core/events/foreground.ts";
import { awaitsInput } from "../../src/core/records.ts";
import { cleanEnvironment } from "../../src/pty/environment.ts";
import { ForegroundWatch } from "../../src/pty/foreground-watch.ts";
import { spawnPty } from "../../src/pty/spawn.ts";
import type { Pty } from "../../src/pty/pty.ts";

/** How to start a program that answers a line `N GAP GAP ...` (gaps in milliseconds) with `piece-N-1`, ..., and `end-N`. */
interface TurnProgram {
  readonly files: Readonly<Record<string, string>>;
  readonly command: (directory: string) => [string, ...string[]];
  readonly line: (turn: number, gaps: readonly number[]) => string;
  /** What stands behind the answer once it waits again. */
  readonly prompt: string;
}

const bashFunction =
  't() { local n=$1 i=0 g; shift; for g in "$@"; do i=$((i+1)); echo "piece-$n-$i"; sleep $(printf "0.%03d" $g); done; echo "end-$n"; }';
const call = (turn: number, gaps: readonly number[]): string => `t ${turn} ${gaps.join(" ")}\r`;

export const turnPrograms: Readonly<Record<string, TurnProgram>> = {
  python3: {
    files: {
      "t.py":
        "import time\ndef t(n, *gaps):\n  for i, g in enumerate(gaps):\n    print(f'piece-{n}-{i+1}', flush=True)\n    time.sleep(g / 1000)\n  print(f'end-{n}', flush=True)\n",
    },
    command: (directory) => ["/usr/bin/python3", "-q", "-i", join(directory, "t.py")],
    line: (turn, gaps) => `t(${[turn, ...gaps].join(", ")})\r`,
    prompt: ">>> ",
  },
  bash: {
    files: { bashrc: `PS1='$ '\n${bashFunction}\n` },
    command: (directory) => ["bash", "--noprofile", "--rcfile", join(directory, "bashrc"), "-i"],
    line: call,
    prompt: "$ ",
  },
  gdb: {
    files: {
      "t.gdb":
        "python\nimport time\nclass T(gdb.Command):\n  def __init__(self): super().__init__('t', gdb.COMMAND_USER)\n  def invoke(self, text, tty):\n    n, *gaps = text.split()\n    for i, g in enumerate(gaps):\n      gdb.write(f'piece-{n}-{i+1}\\n'); gdb.flush()\n      time.sleep(int(g) / 1000)\n    gdb.write(f'end-{n}\\n'); gdb.flush()\nT()\nend\n",
    },
    command: (directory) => ["gdb", "-q", "-nx", "-x", join(directory, "t.gdb")],
    line: call,
    prompt: "(gdb) ",
  },
  node: {
    files: {
      "t.cjs":
        "globalThis.t = (n, ...gaps) => { gaps.forEach((g, i) => { require('fs').writeSync(1, `piece-${n}-${i + 1}\\n`); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, g); }); require('fs').writeSync(1, `end-${n}\\n`); };",
    },
    command: (directory) => [process.execPath, "-i", "-r", join(directory, "t.cjs")],
    line: (turn, gaps) => `t(${[turn, ...gaps].join(", ")})\r`,
    prompt: "> ",
  },
  "read -p": {
    files: { "t.sh": `${bashFunction}\nwhile read -r -p 'name? ' line; do t $line; done\n` },
    command: (directory) => ["bash", join(directory, "t.sh")],
    line: (turn, gaps) => `${turn} ${gaps.join(" ")}\r`,
    prompt: "name? ",
  },
};

/** What one turn was like. */
export interface Turn {
  /** The whole answer and the prompt were there when the verdict came. */
  readonly right: boolean;
  /** From the last byte to the verdict, in milliseconds. */
  readonly delayMs: number;
}

export class TurnRun implements AsyncDisposable {
  readonly #pty: Pty;
  readonly #watch: ForegroundWatch;
  readonly #program: TurnProgram;
  readonly #directory = mkdtempSync(join(tmpdir(), "lectern-turns-"));
  #text = "";
  #lastByteMs = 0;
  #heard: ((look: ForegroundLook) => void) | undefined;

  constructor(program: TurnProgram) {
    this.#program = program;
    for (const [name, text] of Object.entries(program.files)) writeFileSync(join(this.#directory, name), text);
    this.#pty = spawnPty({
      command: program.command(this.#directory),
      workingDirectory: "/",
      environment: cleanEnvironment(process.env, { extra: { HOME: this.#directory } }),
      columns: 120,
      rows: 24,
      onOutput: (chunk) => {
        this.#text += Buffer.from(chunk).toString("latin1");
        this.#lastByteMs = performance.now();
        this.#watch.moved();
      },
      onExit: () => {},
    });
    this.#watch = new ForegroundWatch(this.#pty, { onChange: (look) => this.#heard?.(look) });
    this.#watch.moved();
  }

  /** Resolves when the program waits for the first time. */
  async ready(): Promise<void> {
    while (!this.#text.includes(this.#program.prompt)) await this.#untilWaiting();
  }

  async turn(number: number, gaps: readonly number[]): Promise<Turn> {
    this.#text = "";
    this.#pty.write(Buffer.from(this.#program.line(number, gaps)));
    this.#watch.moved();
    // What was said before the input is no answer to it.
    if (!awaitsInput(this.#watch.look().verdict)) await this.#untilWaiting();
    const delayMs = performance.now() - this.#lastByteMs;
    const plain = this.#text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, "");
    const right =
      plain.includes(`end-${number}\r\n`) &&
      plain.slice(plain.indexOf(`end-${number}\r\n`)).includes(this.#program.prompt);
    return { right, delayMs };
  }

  async #untilWaiting(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#heard = (look) => {
        if (awaitsInput(look.verdict)) resolve();
      };
    });
    this.#heard = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.close();
    await this.#pty.kill({ graceMs: 0 });
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Gaps of a turn: from none to 300 ms, the same in each run. */
export function gapsOf(turn: number): number[] {
  const random = (seed: number): number => ((Math.sin(seed) * 43_758.5453) % 1) ** 2;
  return [0, 1, 2].map((index) => Math.round(random(turn * 3 + index + 1) * 300));
}
