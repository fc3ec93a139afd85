/** How a program is started on a pty of this process: its environment, its size and its shell integration, with their defaults. */
import { mayLoad } from "../core/acting/repl-loader.ts";
import type { OptionNames } from "../core/option-names.ts";
import { cleanEnvironment } from "../pty/environment.ts";
import { integrateShell } from "./shell-integration.ts";

/** Environment, size and shell integration of a program. */
export interface ProgramOptions {
  /** Default: the directory of this process. */
  readonly workingDirectory?: string;
  /** The same by the name that `node:child_process` has for it. */
  readonly cwd?: string;
  /** What to start from, cleaned of what belongs to another terminal. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The same by the name that `node:child_process` has for it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default 80. */
  readonly columns?: number;
  /** Default 24. */
  readonly rows?: number;
  /** False: bash, zsh and fish are not asked for marks. Default true. */
  readonly shellIntegration?: boolean;
}

export const programNames: OptionNames<ProgramOptions> = {
  workingDirectory: true,
  cwd: true,
  environment: true,
  env: true,
  columns: true,
  rows: true,
  shellIntegration: true,
};

export interface ProgramStart {
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** Stands in the marks of the shell; null where it was not asked for marks. */
  readonly nonce: string | null;
  /** Where the program is handed commands; null for other programs than REPLs, and shells that were not asked for marks. */
  readonly actDirectory: string | null;
}

/** `extra`: variables that are set in any case. `makeActDirectory` is called for a REPL, and for a shell that is asked for marks. */
export function programStart(
  command: readonly string[],
  options: ProgramOptions,
  {
    makeActDirectory,
    extra = {},
  }: { readonly makeActDirectory: () => string; readonly extra?: Readonly<Record<string, string>> },
): ProgramStart {
  const { columns = 80, rows = 24, shellIntegration = true } = options;
  const workingDirectory = options.workingDirectory ?? options.cwd ?? process.cwd();
  const environment = cleanEnvironment(options.environment ?? options.env ?? process.env, { extra });
  const integration = shellIntegration ? integrateShell(command, environment, makeActDirectory) : undefined;
  const nonce = integration?.nonce ?? null;
  const actDirectory = integration?.actDirectory ?? (mayLoad(command) ? makeActDirectory() : null);
  return { workingDirectory, environment: integration?.environment ?? environment, columns, rows, nonce, actDirectory };
}
