/** A shell that is handed commands as Lectern does it: a file, a key and an answer, on a real terminal without a daemon. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { planAct } from "../../src/core/acting/act.ts";
import type { Pty } from "../../src/pty/pty.ts";
import { spawnPty } from "../../src/pty/spawn.ts";
import { integrateShell } from "../../src/terminal/shell-integration.ts";
import { makeFishHome } from "./fish-home.ts";

/** Less than a test may take, so that a wait in vain ends before its test is given up. */
const UNTIL_MS_MAX = 60_000;
const SHOWN_CHARS_MAX = 1500;
export const ACT_KEY = "\u001b[7501~";

interface ActShellOptions {
  /** Files below the shell's home, by their paths there. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The end of a first prompt that may have no mark: a line is typed there, and marks come with the next prompt. */
  readonly bare?: RegExp;
}

interface Act {
  readonly way?: "plain" | "eval" | "later";
  /** The command as a person may read it. */
  readonly shown?: string;
}

/** What came of an act: the words of its answer; those of one that was taken say what the command printed and its exit code. */
export interface ActResult {
  readonly answer: string;
  readonly output: string;
  readonly code: string;
}

export class ActShell implements AsyncDisposable {
  readonly home = mkdtempSync(join(tmpdir(), "lectern-acts-"));
  readonly acts = join(this.home, "acts ' $x");
  readonly nonce: string;
  readonly #pty: Pty;
  #text = "";
  #look: (() => void) | undefined;
  #acts = 0;

  private constructor(command: readonly [string, ...string[]], { files = {}, environment = {} }: ActShellOptions) {
    makeFishHome(this.home);
    mkdirSync(this.acts, { mode: 0o700 });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.home, name)), { recursive: true });
      writeFileSync(join(this.home, name), text);
    }
    const own = { HOME: this.home, PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" };
    const integration = integrateShell(command, { ...own, ...environment }, () => this.acts);
    assert.ok(integration);
    this.nonce = integration.nonce;
    this.#pty = spawnPty({
      command,
      workingDirectory: this.home,
      environment: integration.environment,
      columns: 80,
      rows: 24,
      onOutput: (bytes) => {
        this.#text += Buffer.from(bytes).toString("latin1");
        this.#look?.();
      },
      onExit: () => this.#look?.(),
    });
  }

  /** Resolves once the shell stands at its first prompt. */
  static async start(command: readonly [string, ...string[]], options: ActShellOptions = {}): Promise<ActShell> {
    const shell = new ActShell(command, options);
    await using stack = new AsyncDisposableStack();
    stack.use(shell);
    const { bare } = options;
    if (bare === undefined) await shell.prompt(0);
    else if ((await shell.until(new RegExp(`133;B;|${bare.source}`)))[0] !== "133;B;") await shell.typed(":");
    stack.move();
    return shell;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pty.kill();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** All that the terminal got, one character for each byte. */
  get text(): string {
    return this.#text;
  }

  type(keys: string): void {
    this.#pty.write(Buffer.from(keys, "latin1"));
  }

  /** Resolves once the text behind `from` matches. */
  async until(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    const found = Promise.withResolvers<RegExpExecArray>();
    const timer = setTimeout(() => {
      const end = JSON.stringify(this.#text.slice(from).slice(-SHOWN_CHARS_MAX));
      found.reject(new Error(`${pattern} did not come in ${UNTIL_MS_MAX} ms: ${end}`));
    }, UNTIL_MS_MAX);
    this.#look = () => {
      const match = pattern.exec(this.#text.slice(from));
      if (match !== null) found.resolve(match);
    };
    this.#look();
    try {
      return await found.promise;
    } finally {
      clearTimeout(timer);
      this.#look = undefined;
    }
  }

  /** Waits for the end of a prompt behind `from`. */
  async prompt(from: number): Promise<void> {
    await this.until(/\u001b\]133;B;[^\u0007]*\u0007/, from);
  }

  /** A line as a person types it: what it printed and its exit code. */
  async typed(line: string): Promise<ActResult> {
    const from = this.text.length;
    this.type(`${line}\r`);
    return await this.#result("", from);
  }

  /** Puts a command down without pressing the key. */
  put(text: string | Uint8Array, { way = "eval", shown = "" }: Act = {}): string {
    const id = `act_${this.#acts++}-${randomBytes(4).toString("hex")}`;
    const act = planAct(Buffer.from(text).toString("latin1"));
    const tells = way === "plain" && "tells" in act ? act.tells : "";
    const record = Buffer.concat([
      Buffer.from(`${id}\0${way}\0${shown}\0`),
      Buffer.from(text),
      Buffer.from(`\0${tells}`),
    ]);
    writeFileSync(join(this.acts, "new"), record, { mode: 0o600 });
    renameSync(join(this.acts, "new"), join(this.acts, "act"));
    return id;
  }

  /** False if it had been taken before. */
  withdraw(id: string): boolean {
    try {
      writeFileSync(join(this.acts, `${id}.off`), "", { flag: "wx" });
      writeFileSync(join(this.acts, `${id}.claim`), "", { flag: "wx" });
      return true;
    } catch {
      return false;
    }
  }

  isTaken(id: string): boolean {
    return existsSync(join(this.acts, `${id}.claim`));
  }

  /** Puts a command down, presses the key and waits for the answer. */
  async press(text: string | Uint8Array, act: Act = {}): Promise<string> {
    const from = this.text.length;
    const id = this.put(text, act);
    this.type(ACT_KEY);
    const [, answer = ""] = await this.until(this.#answerOf(id), from);
    return answer;
  }

  /** Hands a command over: what the shell answered and, if it took it, what came of it. */
  async act(text: string | Uint8Array, act: Act = {}): Promise<ActResult> {
    const from = this.text.length;
    const answer = await this.press(text, act);
    return answer === "taken" ? await this.#result(answer, from) : { answer, output: "", code: "" };
  }

  read(name: string): string {
    return readFileSync(join(this.home, name), "latin1");
  }

  #answerOf(id: string): RegExp {
    return new RegExp(`\u001b\\]633;P;Act=${id};([^\u0007]*);n=${this.nonce}\u0007`);
  }

  async #result(answer: string, from: number): Promise<ActResult> {
    const mark = `;n=${this.nonce}\u0007`;
    // bash's start has more parameters, and its line editor asks for pastes before the end.
    const end = new RegExp(
      `\u001b\\]133;C;[^\u0007]*${mark.slice(1, -1)}[^\u0007]*\u0007([^]*?)(?:\u001b\\[\\?2004h)?\u001b\\]133;D;(\\d+)${mark}` +
        `[^]*?\u001b\\]133;B${mark}`,
    );
    const [, output = "", code = ""] = await this.until(end, from);
    return { answer, output: output.replaceAll("\r\n", "\n"), code };
  }
}
