/**
 * What the other arguments of a call do to its shell text: they say where it runs, with which shell and which variables.
 */
import { selectLeaves } from "./pointers.ts";
import { isEvaluated, isSteeringVariable, namesCommand } from "./shell-variables.ts";
import { opaque, type ShellAction } from "./shell.ts";
import { visibleText } from "./visible-text.ts";
import type { CallDirectory } from "./working-directory.ts";

/** Shells that read the text as bash does. */
const readShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da)?sh$/;

export function besideText(value: unknown, directory: CallDirectory): readonly ShellAction[] {
  const folders = directory.others.map((argument) =>
    opaque("working-directory", `${argument.path.slice(1)}: ${argument.value}`),
  );
  const open = directory.isOpen ? [opaque("working-directory", "Too many arguments")] : [];
  const shells = selectLeaves(value, ["shell"])
    .leaves.filter((leaf) => typeof leaf.value === "string" && !readShell.test(leaf.value))
    .map((leaf) => opaque("launcher", `shell: ${String(leaf.value)}`));
  const variables = ["env", "environment"].flatMap((key) =>
    selectLeaves(value, [key]).leaves.flatMap((leaf) => variableActions(leaf.path, String(leaf.value))),
  );
  return [...folders, ...open, ...shells, ...variables];
}

/** `/env/NAME` with a value, or `NAME=VALUE` in a list. */
function variableActions(path: string, text: string): readonly ShellAction[] {
  const key = path.slice(path.lastIndexOf("/") + 1);
  const isItem = /^\d+$/.test(key);
  const name = isItem ? text.split("=", 1).join("") : key;
  const variable = { name, value: isItem ? text.slice(name.length + 1) : text };
  if (!isSteeringVariable(name)) return [];
  const shown = visibleText(`${name}=${variable.value}`);
  const action: ShellAction = { type: "assignment", name, namesCommand: namesCommand(variable), text: shown };
  return isEvaluated(variable) ? [action, opaque("expansion", shown)] : [action];
}
