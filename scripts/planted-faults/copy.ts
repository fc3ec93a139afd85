/** A copy of a clone, in which faults are planted and tests run. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestFile } from "./tests-of.ts";

/** A file of tests that takes longer hangs. */
const TEST_FILE_MS_MAX = { unit: 120_000, real: 300_000, e2e: 300_000 };

const COMPILER_MS_MAX = 900_000;

/** A clone of the last commit, with what runs in it. */
export class Copy implements Disposable {
  readonly #base = mkdtempSync(join(tmpdir(), "pf-"));
  readonly root = join(this.#base, "lectern");
  /** For the temporary files of tests; by its name in their environment, what they started is found. */
  readonly #temporary = join(this.#base, "t");
  readonly #running = new Set<ChildProcess>();
  readonly #failing: Record<string, boolean> = {};

  constructor(clone: string) {
    execFileSync("git", ["clone", "--quiet", "--shared", clone, this.root]);
    symlinkSync(join(clone, "node_modules"), join(this.root, "node_modules"));
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.root, file), text);
  }

  /** The files that do not compile if these have these texts. */
  async misfits(files: readonly (readonly [file: string, text: string])[]): Promise<string[]> {
    const before = files.map(([file]) => [file, existsSync(join(this.root, file)) && this.read(file)] as const);
    for (const [file, text] of files) this.write(file, text);
    const words = [join(this.root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--noEmit"];
    const { output } = await this.#run(words, { msMax: COMPILER_MS_MAX, stdout: "pipe" });
    for (const [file, text] of before) {
      if (text === false) rmSync(join(this.root, file));
      else this.write(file, text);
    }
    return [...new Set([...output.matchAll(/^(src\/\S+?)\(\d+,/gm)].map(([, file = ""]) => file))];
  }

  async fails({ file, stage }: TestFile): Promise<boolean> {
    const isolation = stage === "unit" ? "--test-isolation=none" : "--import=./test/support/preload.mjs";
    const words = ["--test", isolation, "--test-timeout=180000", file];
    // What a test leaves behind may hold its output open for long.
    const { code } = await this.#run(words, { msMax: TEST_FILE_MS_MAX[stage], stdout: "ignore" });
    return code !== 0;
  }

  /** Also with the true text of a file. */
  async failsAnyway(test: TestFile, { file, source }: { file: string; source: string }): Promise<boolean> {
    const planted = this.read(file);
    this.sweep();
    this.write(file, source);
    const fails = (this.#failing[test.file] ??= await this.fails(test));
    this.write(file, planted);
    return fails;
  }

  /** Ends what the tests have left behind. */
  sweep(): void {
    for (const child of this.#running) end(child);
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid))) {
      try {
        const text = readFileSync(`/proc/${id}/environ`, "utf8") + readFileSync(`/proc/${id}/cmdline`, "utf8");
        if (text.includes(this.#base)) process.kill(Number(id), "SIGKILL");
      } catch {
        // It has ended, or is somebody else's.
      }
    }
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  [Symbol.dispose](): void {
    this.sweep();
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }

  async #run(
    words: readonly string[],
    { msMax, stdout }: { msMax: number; stdout: "pipe" | "ignore" },
  ): Promise<{ code: number | null; output: string }> {
    mkdirSync(this.#temporary, { recursive: true });
    const PATH = `${join(this.root, "node_modules/.bin")}:${process.env["PATH"]}`;
    const env = { ...process.env, PATH, TMPDIR: this.#temporary };
    const child = spawn(process.execPath, words, {
      cwd: this.root,
      env,
      detached: true,
      stdio: ["ignore", stdout, "ignore"],
    });
    this.#running.add(child);
    const timer = setTimeout(end, msMax, child);
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    this.#running.delete(child);
    return { code, output };
  }
}

/** With all of its process group. */
function end(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
