/** A text that a program reads as a command from a file that only this user can read. */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandKeys } from "../core/acting/command-keys.ts";

const NAME_BYTES = 4;
/** It needs no quotes in any program. */
const PLAIN_PATH = /^[\w./-]+$/;
const encoder = new TextEncoder();

/** Whether files in this directory can be named to a program. */
export const takesFiles = (directory: string | null): boolean => PLAIN_PATH.test(directory ?? "");

/** What is typed. Disposing it removes the file: a program that has not read it by then finds nothing, and runs nothing. */
export class TypedCommand implements Disposable {
  readonly bytes: Uint8Array;
  /** What is read of it, and echoed. */
  readonly line: string;
  readonly #path: string | undefined;

  /** Writes the file in the directory if there is to be one. */
  constructor(keys: Exclude<CommandKeys, { readonly refusal: string }>, directory: string | null) {
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
