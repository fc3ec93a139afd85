/** Reads the shell text of a call, and the arguments beside it: where it runs, with which shell and which variables. */
import { selectLeaves, stringAt } from "./pointers.ts";
import { isEvaluated, isSteeringVariable, namesCommand } from "./shell-variables.ts";
import { opaque, type ShellAction } from "./shell-actions.ts";
import type { ShellAnalysis, ShellJudge } from "./shell-analysis.ts";
import { analyzeShell, analyzeWords } from "./shell.ts";
import { visibleText } from "./visible-text.ts";
import { isShellKey, isVariablesKey, plainKeys, type CallDirectory } from "./working-directory.ts";

/** Shells that parse the text as bash does. */
const readShell = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da)?sh$/;

/** Argument names that may hold another shell text, or words for it. */
const textKey = /^[a-z]*(?:cmds?|commands?|commandline|cmdline|scripts?|code|argv|args|arguments|input)$/;

const joinAnalyses = (left: ShellAnalysis, right: ShellAnalysis): ShellAnalysis => ({
  actions: [...left.actions, ...right.actions],
  directories:
    left.directories === null || right.directories === null ? null : [...left.directories, ...right.directories],
  folders: new Map([...left.folders, ...right.folders]),
  isInOrder: left.isInOrder && right.isInOrder,
  setsHome: left.setsHome || right.setsHome,
});

const readShellCall: ShellJudge["read"] = (pointer, call, directory) => {
  const { leaves } = selectLeaves(call.arguments, pointer);
  const texts = leaves.map((leaf) => String(leaf.value));
  const isText = pointer.includes("*") || stringAt(call.arguments, pointer) !== undefined;
  const read = isText
    ? texts
        .map((text) => analyzeShell(text))
        .reduce(joinAnalyses, { actions: [], directories: [], folders: new Map(), isInOrder: true, setsHome: false })
    : analyzeWords(texts);
  const missing = leaves.length === 0 ? [opaque("no-text", call.name)] : [];
  return { ...read, actions: [...read.actions, ...missing, ...besideText(directory)] };
};

/**
 * Reads shell text as bash does, without running it: each command, redirection and variable is judged, and what cannot be read is opaque.
 *
 * @example
 * ```ts
 * checkPolicy({ version: 1, rules: [{ id: "no-rm", effect: "deny", command: "rm **" }] }, { shell });
 * ```
 */
export const shell: ShellJudge = { read: readShellCall };

export function besideText(directory: CallDirectory): readonly ShellAction[] {
  const folders = directory.others.map((argument) =>
    opaque("working-directory", `${argument.path.slice(1)}: ${argument.value}`),
  );
  const open = directory.isOpen ? [opaque("working-directory", "Too many arguments")] : [];
  const others = directory.texts.flatMap(({ path, value }): readonly ShellAction[] => {
    const keys = plainKeys(path);
    const at = keys.findIndex(isVariablesKey);
    if (at >= 0) return variableActions(path, at, value);
    const shown = `${path.slice(1)}: ${value}`;
    if (keys.some(isShellKey)) return readShell.test(value) ? [] : [opaque("launcher", shown)];
    return value !== "" && keys.some((key) => textKey.test(key)) ? [opaque("second-text", shown)] : [];
  });
  return [...folders, ...open, ...others];
}

/** Reads `/env/NAME` with a value and `NAME=VALUE` in a list; of a whole list in one text, and of `{ name, value }`, only the names. */
function variableActions(path: string, depth: number, text: string): readonly ShellAction[] {
  const segments = path.split("/");
  const key = segments.at(-1) ?? "";
  if (depth === segments.length - 1) {
    const names = [...text.matchAll(/(?<![\w])([A-Za-z_]\w*)=/g)].map(([, name = ""]) => name);
    return names.flatMap((name) => variableAction(name, undefined));
  }
  if (/^(?:name|key|variable)$/i.test(key)) return variableAction(text, undefined);
  if (!/^\d+$/.test(key)) return variableAction(key, text);
  const [name = "", ...value] = text.split("=");
  return variableAction(name, value.length === 0 ? undefined : value.join("="));
}

function variableAction(name: string, value: string | undefined): readonly ShellAction[] {
  if (!isSteeringVariable({ name, value })) return [];
  const variable = { name, value };
  const shown = visibleText(`${name}=${value ?? ""}`);
  const action: ShellAction = { type: "assignment", name, namesCommand: namesCommand(variable), text: shown };
  return isEvaluated(variable) ? [action, opaque("expansion", shown)] : [action];
}
