/** Finds the program of a command by the rules of `execvp(3)`, and reports why it cannot start before a terminal is opened. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LecternError } from "../core/errors.ts";

export interface CommandRequest {
  /** Program and arguments; a program without a slash is looked up in `environment.PATH`. Never a shell string. */
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  /** The whole environment of the program; see `cleanEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ResolvedCommand {
  /** Absolute path of the file to execute. */
  readonly file: string;
  /** With argument zero as the caller wrote it. */
  readonly arguments: readonly string[];
  readonly workingDirectory: string;
}

/** What the C library searches if PATH is not set. */
const defaultPath = "/bin:/usr/bin";
/** The kernel reads this much of a file to determine its format (`BINPRM_BUF_SIZE`). */
const headBytes = 256;

/**
 * The absolute path of the program, looked up in the PATH of the program's own environment, not in ours.
 * Throws `WORKING_DIRECTORY_NOT_FOUND`, `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE` or `INVALID_INPUT`.
 */
export function resolveCommand(request: CommandRequest): ResolvedCommand {
  refuseNulBytes(request);
  const workingDirectory = resolve(request.workingDirectory);
  if (!statOf(workingDirectory)?.isDirectory()) {
    throw new LecternError(
      "WORKING_DIRECTORY_NOT_FOUND",
      `Cannot start in "${workingDirectory}": it is not a directory; create it or name another one`,
      { details: { workingDirectory } },
    );
  }
  const file = findFile(request.command[0], { ...request, workingDirectory });
  refuseMissingInterpreter(file);
  return { file, arguments: request.command, workingDirectory };
}

/**
 * The command to try after the kernel refused a file that is not a program (ENOEXEC): like `execvp` and every shell, text is run by
 * `/bin/sh`. Throws `COMMAND_NOT_EXECUTABLE` if it is not text.
 */
export function shellScriptCommand(command: ResolvedCommand): ResolvedCommand {
  const head = headOf(command.file);
  const firstLine = head.subarray(0, head.includes(0x0a) ? head.indexOf(0x0a) : head.length);
  if (firstLine.includes(0))
    throw notExecutable(command.file, "it is not a program for this machine; build or install it for this machine");
  const [zero = "", ...rest] = command.arguments;
  return { ...command, file: "/bin/sh", arguments: [zero, command.file, ...rest] };
}

function findFile(name: string, request: CommandRequest): string {
  const candidates = name.includes("/")
    ? [resolve(request.workingDirectory, name)]
    : name === ""
      ? []
      : (request.environment["PATH"] ?? defaultPath)
          .split(":")
          .map((directory) => resolve(request.workingDirectory, directory, name));
  const files = candidates.filter((candidate) => statOf(candidate) !== undefined);
  const executable = files.find((file) => statOf(file)?.isFile() && mayExecute(file));
  if (executable !== undefined) return executable;
  const [blocked] = files;
  if (blocked === undefined) throw notFound(name);
  throw statOf(blocked)?.isDirectory()
    ? notExecutable(blocked, "it is a directory; name a program")
    : notExecutable(blocked, `no permission; try "chmod +x ${blocked}"`);
}

/** Without this check, the kernel reports "no such file" for a script that exists. */
function refuseMissingInterpreter(file: string): void {
  const head = headOf(file).toString("latin1");
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(head)?.[1];
  if (interpreter === undefined || !interpreter.startsWith("/") || statOf(interpreter) !== undefined) return;
  throw notExecutable(file, `its interpreter "${interpreter}" does not exist; install it or change the first line`);
}

/** C strings end at a NUL byte: the text after it would be dropped silently. */
function refuseNulBytes(request: CommandRequest): void {
  const strings = [request.workingDirectory, ...request.command, ...Object.entries(request.environment).flat()];
  if (strings.some((string) => string.includes("\0"))) {
    throw new LecternError(
      "INVALID_INPUT",
      "Cannot start a program: its command, directory or environment has a NUL byte",
    );
  }
}

function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // No permission, or a file in place of a directory: treated as missing, as by execvp.
    return undefined;
  }
}

function mayExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first bytes of a file; none if it can be executed but not read. */
function headOf(file: string): Buffer {
  const head = Buffer.alloc(headBytes);
  try {
    const descriptor = openSync(file, "r");
    try {
      return head.subarray(0, readSync(descriptor, head));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return head.subarray(0, 0);
  }
}

function notFound(name: string): LecternError {
  const where = name.includes("/") ? "no such file" : "it is in no directory of the PATH";
  return new LecternError(
    "COMMAND_NOT_FOUND",
    `Cannot find command "${name}": ${where}; check the spelling or install it`,
    {
      details: { command: name },
    },
  );
}

const notExecutable = (file: string, reason: string): LecternError =>
  new LecternError("COMMAND_NOT_EXECUTABLE", `Cannot execute "${file}": ${reason}`, { details: { file } });
