/** Reads a file with the settings of a sandbox; each problem has its line. */
import { sandboxProblems, sandboxSchema, type SandboxData } from "../sandbox/sandbox-schema.ts";
import type { FileProblem } from "./data-file.ts";
import { fileReader } from "./yaml-file.ts";

const readSandbox = fileReader<SandboxData>(sandboxSchema);

export type SandboxFileResult =
  | { readonly ok: true; readonly data: SandboxData }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

export function checkSandbox(text: string): SandboxFileResult {
  const file = readSandbox(text);
  if (!file.ok) return file;
  const problems = sandboxProblems(file.data).map(({ path, message }): FileProblem => ({
    ...file.place(path),
    severity: "error",
    message,
  }));
  return problems.length === 0 ? { ok: true, data: file.data } : { ok: false, problems };
}
