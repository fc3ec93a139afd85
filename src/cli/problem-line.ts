import type { FileProblem } from "../core/gate/data-file.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { Style } from "./style.ts";

/** `policy.yaml:3:5: error: Unknown key "rulse": did you mean "rules"?`. */
export function problemLine(file: string, problem: FileProblem, style: Style): string {
  const { code, column, line, message, severity } = problem;
  const word = severity === "error" ? style.red(severity) : style.yellow(severity);
  return `${escapeForDisplay(file)}:${line}:${column}: ${word}: ${escapeForDisplay(message)}${code === undefined ? "" : ` [${code}]`}`;
}
