/** A command that is typed, or that a program reads from a file that only this user can read. */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandKeys } from "../core/acting/command-keys.ts";
import { programName } from "../core/agents/command-line.ts";
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";

const NAME_BYTES = 4;
/** It needs no quotes in any program. */
const PLAIN_PATH = /^[\w./-]+$/;
const encoder = new TextEncoder();

/** The place at which a command is typed. */
export interface CommandPlace {
  readonly foreground: ForegroundLook | null;
  readonly takesPaste: boolean;
  /** A shell has told by a mark that it reads a command. */
  readonly hasMarks: boolean;
  readonly openLine: string;
  /** Of the terminal, its words joined by blanks. */
  readonly command: string;
  /** Within another program than that of the terminal. */
  readonly inside: boolean;
  /** For files that a program reads; null if there is none. */
  readonly directory: string | null;
}

/** What is typed. Disposing it removes the file: a program that has not read it by then finds nothing, and runs nothing. */
export class TypedCommand implements Disposable {
  readonly bytes: Uint8Array;
  /** What is read of it, and echoed. */
  readonly line: string;
  readonly #path: string | undefined;

  /** Writes the file if there is to be one. Throws `CONFLICT` where the program would get something else than the command. */
  constructor(text: string, place: CommandPlace) {
    const { command, directory, foreground, hasMarks, inside, openLine, takesPaste } = place;
    const own = programName((command.split(" ")[0] ?? "").replace(/^-/, ""));
    const keys = commandKeys(text, {
      // A shell that runs a script asks a question, and executes nothing of the answer.
      program: hasMarks ? own : foreground?.runsScript === true ? null : (foreground?.program ?? own),
      canonical: foreground?.canonical ?? null,
      isRelay: foreground?.isRelay === true,
      takesPaste,
      hasMarks,
      loading: PLAIN_PATH.test(directory ?? "") ? { prompt: openLine, command: inside ? null : command } : null,
    });
    if ("refusal" in keys)
      throw new LecternError("CONFLICT", `Cannot run the command: ${keys.refusal}; nothing was typed`);
    if ("file" in keys) {
      this.#path = join(directory ?? "", randomBytes(NAME_BYTES).toString("hex"));
      writeFileSync(this.#path, keys.file.text, { mode: 0o600, flag: "wx" });
      this.line = keys.file.line(this.#path);
      this.bytes = encoder.encode(`${this.line}\n`);
    } else {
      this.line = keys.line;
      this.bytes = keys.bytes;
    }
  }

  [Symbol.dispose](): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
  }
}
