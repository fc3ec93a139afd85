/** Whether a program finds inside what it needs: itself, its interpreter, the files that its command and its environment name. */
import { closeSync, openSync, readSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isVisible, type SandboxPlan } from "../../core/sandbox/plan.ts";
import { resolveCommand } from "../../pty/command.ts";
import { realPath, statsOf } from "./mount-table.ts";

interface Program {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/** Variables whose value is a file or directory that a program needs: keys, certificates, an agent's settings. */
const fileVariables =
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|AWS_WEB_IDENTITY_TOKEN_FILE|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_CLI_HOME|OPENCODE_CONFIG|OPENCODE_CONFIG_DIR|QWEN_HOME|.*_(?:KEY|TOKEN|CREDENTIALS?)_(?:FILE|PATH))$/i;
const HEAD_BYTES = 256;

/** Throws what `resolveCommand` throws, and `INVALID_INPUT` with the path that is hidden inside. */
export function checkNeeds(plan: SandboxPlan, { command, environment }: Program): void {
  const { workingDirectory } = plan;
  const { file } = resolveCommand({ command, workingDirectory, environment });
  const need = (path: string, what: string): void => {
    for (const at of new Set([path, realPath(path) ?? path])) if (!isVisible(plan.mounts, at)) throw hidden(at, what);
  };
  need(file, "the program");
  for (const interpreter of interpretersOf(file, environment)) need(interpreter, `the interpreter of "${file}"`);
  for (const word of command.slice(1)) {
    const path = resolve(workingDirectory, word.replace(/^--?[\w-]+=/, ""));
    if (statsOf(path)?.isFile()) need(path, "a file that the command names");
  }
  for (const [name, value] of Object.entries(environment)) {
    if (value.startsWith("/") && fileVariables.test(name) && statsOf(value) !== undefined)
      need(value, `what ${name} names`);
  }
}

/** Of a script: the program of its first line, and the one that `env` would find. */
function interpretersOf(file: string, environment: Program["environment"]): readonly string[] {
  const [interpreter, word] = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(headOf(file))?.slice(1) ?? [];
  if (interpreter === undefined) return [];
  if (word === undefined || !interpreter.endsWith("/env")) return [interpreter];
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = folders.map((folder) => join(resolve(folder), word)).find((path) => realPath(path) !== undefined);
  return found === undefined ? [interpreter] : [interpreter, found];
}

function headOf(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readSync(descriptor, head)).toString("latin1");
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

const hidden = (path: string, what: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot start in the sandbox: "${path}" is hidden inside, and it is ${what}; name it under "readOnly" in the sandbox's settings to show it, or put it elsewhere (/tmp is fresh inside)`,
  );
