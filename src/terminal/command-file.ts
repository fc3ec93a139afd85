/** A command that is typed, or that a program reads from a file that only this user can read. */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linePlan, planCommand, planLine, type LinePlan } from "../core/acting/command-plan.ts";
import { quotedKeys } from "../core/acting/key-bindings.ts";
import { programName } from "../core/agents/command-line.ts";
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { lineEditorBindings } from "../pty/line-editor-file.ts";
import type { TypedTerminal } from "./terminal-state.ts";

const NAME_BYTES = 4;
/** It needs no quotes in any program. */
const PLAIN_PATH = /^[\w./-]+$/;

/** Ctrl-U of the kernel; Ctrl-A and Ctrl-K of line editors, and Ctrl-U behind Ctrl-E in vi's mode. */
const CLEARING = { canonical: ["\u0015"], edited: ["\u0001\u000b", "\u0005\u0015"] } as const;
/** They read no init file of readline. */
const OWN_EDITOR = /^(?:node|zsh|fish)$/;

/** Who reads a command. `command`: the words of the terminal; `inside`: another program than that of the terminal. */
interface CommandReader {
  readonly command: readonly string[];
  readonly foreground: ForegroundLook | null;
  readonly inside: boolean;
}

/** What is typed. Disposing it removes the file: a program that has not read it by then finds nothing, and runs nothing. */
export class TypedCommand implements Disposable {
  readonly plan: LinePlan;
  /** Each clears the line in some editors; the next one is pressed where it did not. */
  readonly clear: readonly string[];
  /** Who reads it, as far as that is known. */
  readonly program: string;
  readonly #path: string | undefined;

  /** Writes the file if there is to be one. Throws `CONFLICT` where the program would get something else than the command. */
  constructor(
    text: string,
    { source: { actDirectory: directory }, state: { openLine, place, takesPaste } }: TypedTerminal,
    { command, foreground, inside }: CommandReader,
  ) {
    const canonical = foreground?.canonical ?? null;
    // The shell has told by a mark that it reads a command.
    const hasMarks = place === "prompt" || place === "typed";
    const own = programName((command[0] ?? "").replace(/^-/, ""));
    // A shell that runs a script asks a question, and executes nothing of the answer.
    const program = hasMarks ? own : foreground?.runsScript === true ? null : (foreground?.program ?? own);
    const made = planCommand(text, {
      program,
      canonical,
      isRelay: foreground?.isRelay === true,
      takesPaste,
      hasMarks,
      loading: PLAIN_PATH.test(directory ?? "") ? { prompt: openLine, command: inside ? null : command } : null,
    });
    if ("refusal" in made) throw refused(made.refusal);
    this.program = program ?? "the program";
    const path = join(directory ?? "", randomBytes(NAME_BYTES).toString("hex"));
    const plan = "file" in made ? planLine(made.file.line(path), { takesPaste, canonical }) : made;
    this.clear = canonical === true ? CLEARING.canonical : CLEARING.edited;
    this.plan = canonical === true || plan.isPasted ? plan : insertedLine(plan, foreground);
    if (!("file" in made)) return;
    this.#path = path;
    writeFileSync(path, made.file.text, { mode: 0o600, flag: "wx" });
  }

  [Symbol.dispose](): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
  }
}

/**
 * What inserts the line, whatever its keys are bound to in the init file of the program's line editor. Throws `CONFLICT` where the key that
 * enters it, or the one that quotes others, is bound itself.
 */
function insertedLine(plan: LinePlan, foreground: ForegroundLook | null): LinePlan {
  if (foreground?.pid == null || foreground.program === null || OWN_EDITOR.test(foreground.program)) return plan;
  const { line, enter } = plan;
  const { pid, program } = foreground;
  const keys = quotedKeys(line, { program, enter, bindings: lineEditorBindings(pid, program) });
  if (typeof keys === "string") return linePlan(line, { ...plan, keys });
  throw refused(
    `the init file of ${program}'s line editor (~/.inputrc) binds ${JSON.stringify(keys.keys)} to ${escapeForDisplay(keys.action)}, so ${program} would run something else; limit the binding to other programs there ($if)`,
  );
}

const refused = (why: string): LecternError =>
  new LecternError("CONFLICT", `Cannot run the command: ${why}; nothing was typed`);
