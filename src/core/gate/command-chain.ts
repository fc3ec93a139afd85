/** The chain of `&&` that is directly in a text: each of its commands runs only if the `cd` before it has succeeded. */
import type { Statement, SyntaxNode } from "unbash";
import type { ShellAction } from "./shell-actions.ts";
import { folderBehind } from "./shell-directories.ts";
import type { PlainCommand } from "./shell-places.ts";

export class CommandChain {
  /** Of the commands that surely run in one other folder than the text. */
  readonly folders = new Map<ShellAction, string>();
  #commands: ReadonlySet<SyntaxNode> = new Set();
  /** Where the next command runs, if that is one place. */
  #folder: string | undefined;

  /** `isAtStart`: nothing before it may have changed the folder. */
  enter({ background, command }: Statement, isAtStart: boolean): void {
    const isChain = command.type === "AndOr" && background !== true && command.operators.every((each) => each === "&&");
    this.#commands = new Set(isChain ? command.commands : []);
    this.#folder = isAtStart ? "." : undefined;
  }

  /** Returns what to call after the command is read, with whether it may have changed the folder. */
  begin(node: SyntaxNode, { action, words }: PlainCommand): (changesFolder: boolean) => void {
    const from = this.#commands.has(node) ? this.#folder : undefined;
    if (from !== undefined && from !== ".") this.folders.set(action, from);
    return (changesFolder) => {
      if (changesFolder) this.#folder = from === undefined ? undefined : folderBehind(from, words);
    };
  }
}
