/** Runs a command line: finds the command, parses its arguments, runs it and reports errors. */
import { LecternError, errorTable } from "../core/errors.ts";
import { toLecternError, toProblem } from "../protocol/errors.ts";
import { aliases, movedCommands } from "./aliases.ts";
import { commandNames, groupNames, loadCommand, loadGroups } from "./commands.ts";
import { makeContext, StdoutClosed, type CliContext, type Surroundings } from "./context.ts";
import { endProcess } from "./end-process.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { ofHost, takeHost } from "./host-option.ts";
import { didYouMean } from "../core/text/nearest.ts";
import { parseArguments } from "./parse-arguments.ts";
import { assertUtf8Words } from "./standard-input.ts";
import type { Command } from "./command.ts";

/** Exit codes as shells report them for these signals. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

/**
 * Resolves with the exit code after all output was written. With `surroundings`, the command runs inside another program: it handles no signals of
 * that process, and leaves nothing open.
 */
export async function runProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  surroundings?: Surroundings,
): Promise<number> {
  const abort = new AbortController();
  const context = makeContext(environment, abort, surroundings);
  let exitCode: number | undefined;
  const interrupt = (code: number): void => {
    exitCode = code;
    abort.abort();
  };
  if (surroundings === undefined) {
    for (const [name, code] of Object.entries(signalExitCodes)) {
      process.on(name, () => {
        // A second signal ends the process at once.
        if (exitCode !== undefined) endProcess(exitCode);
        interrupt(code);
      });
    }
  }
  const onAbort = (): void => interrupt(signalExitCodes.SIGINT);
  surroundings?.signal?.addEventListener("abort", onAbort, { once: true, signal: abort.signal });
  if (surroundings?.signal?.aborted === true) onAbort();
  try {
    if (surroundings === undefined) assertUtf8Words(words);
    const code = await dispatch(words, context);
    // A slow reader of a pipe may not have read everything yet.
    await context.flush();
    return code ?? 0;
  } catch (error) {
    if (error instanceof StdoutClosed || abort.signal.reason instanceof StdoutClosed) return 0;
    if (exitCode !== undefined) return exitCode;
    return complain(toLecternError(error), words, context);
  } finally {
    // The end of a process would close what the command has left open.
    if (surroundings !== undefined) abort.abort();
  }
}

async function dispatch(words: readonly string[], context: CliContext): ReturnType<Command["run"]> {
  const [first = "help", ...rest] = words;
  if (words.length === 0 && context.stdout.isTTY) return (await import("./overview.ts")).printOverview(context);
  if (first === "--version" || first === "-V") return dispatch(["version"], context);
  if (first === "help" || first === "--help" || first === "-h") return help(rest[0], context);
  const command = await loadCommand(first);
  if (command === undefined) throw unknownCommand(first);
  return runCommand(command, rest, context);
}

async function runCommand(command: Command, words: readonly string[], context: CliContext): ReturnType<Command["run"]> {
  const parsed = parseArguments(command, words);
  if (parsed.help) return help(command.name, context);
  const { host, input } = takeHost(command, parsed.input);
  const place = host === undefined ? context : context.onHost(host);
  try {
    return await runOrComplete(command, input, place);
  } catch (error) {
    throw error instanceof LecternError && host !== undefined ? ofHost(error, host) : error;
  }
}

/** A command that finds no session has printed nothing yet, so it can run again. */
async function runOrComplete(
  command: Command,
  input: Parameters<Command["run"]>[0],
  context: CliContext,
): ReturnType<Command["run"]> {
  try {
    return await command.run(input, context);
  } catch (error) {
    if (!command.arguments.some(({ takesBeginning }) => takesBeginning === true)) throw error;
    const { withWholeName } = await import("./name-beginning.ts");
    const whole = await withWholeName(command, input, error, context);
    if (whole === undefined) throw error;
    return command.run(whole, context);
  }
}

async function help(name: string | undefined, context: CliContext): Promise<void> {
  const { allHelp, commandHelp, mainHelp } = await import("./help.ts");
  if (name === undefined || name === "all")
    return await context.write(name === "all" ? allHelp(await loadGroups()) : mainHelp(groupNames()));
  const command = await loadCommand(name);
  if (command === undefined) throw unknownCommand(name);
  await context.write(commandHelp(command));
}

function unknownCommand(name: string): LecternError {
  const place = Object.hasOwn(movedCommands, name) ? movedCommands[name] : undefined;
  if (place !== undefined) return new LecternError("USAGE", `Unknown command "${name}": ${place}`);
  const hint = didYouMean(name, [...commandNames, ...Object.keys(aliases)]);
  const unknown = `Unknown command "${name}"${hint === undefined ? "" : `, ${hint}`}`;
  return new LecternError("USAGE", `${unknown}; see "lectern --help"`);
}

/** Prints one line, or the problem document with `--json`. */
function complain(error: LecternError, words: readonly string[], context: CliContext): number {
  const end = words.indexOf("--");
  const wantsJson = words.slice(0, end < 0 ? undefined : end).includes("--json");
  if (wantsJson) context.note(JSON.stringify(toProblem(error)));
  else context.note(`${context.errorStyle.red("lectern:")} ${escapeForDisplay(error.message)}`);
  if (error.code === "INTERNAL" && context.environment["LECTERN_DEBUG"] && error.cause instanceof Error)
    context.note(escapeForDisplay(error.cause.stack ?? ""));
  return errorTable[error.code].exitCode;
}
