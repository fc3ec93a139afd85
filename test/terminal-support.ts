/** Terminals for tests: in a home of their own, so that no start-up file of this machine plays a part. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTerminal, type TerminalOptions } from "../src/terminal/open-terminal.ts";
import type { Terminal } from "../src/terminal/terminal.ts";
import { makeFishHome } from "./support/fish-home.ts";

export type Command = string | readonly [string, ...string[]];

/** A directory that goes with the test; `files` are its start-up files. */
export class Home implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-term-"));
  readonly environment: Readonly<Record<string, string>>;

  constructor(files: Readonly<Record<string, string>> = {}) {
    makeFishHome(this.directory);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text);
    this.environment = {
      HOME: this.directory,
      XDG_CONFIG_HOME: join(this.directory, "config"),
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      PS1: "$ ",
    };
  }

  open(command: Command, options: TerminalOptions = {}): Promise<Terminal> {
    return openTerminal(command, { environment: this.environment, workingDirectory: this.directory, ...options });
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** bash without start-up files. */
export const plainBash = ["bash", "--norc", "--noprofile"] as const;
