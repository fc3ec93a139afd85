/** What is run on another machine to find its daemon, and what it answers. */
import { LecternError } from "../core/errors.ts";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";

/** Printed before the answer, because a login shell may print things of its own. */
const ANSWER_MARK = "lectern-daemon:";
/** Exit code of the script where there is no such program. */
export const NOT_INSTALLED_EXIT_CODE = 127;

/** The daemon of another machine. */
export interface RemoteDaemon {
  readonly version: string;
  readonly protocolVersion: number;
  /** The path of its unix socket there. */
  readonly socket: string;
}

/** Versions are shown, and stand in a command line to be copied. */
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/;
/** Not what ssh expands: of `${NAME}` it would send a variable of this environment there. Not what ends a line or acts on a terminal. */
const SOCKET = /^unix:(?<path>\/(?!.*\$\{)[^\p{C}\p{Zl}\p{Zp}]+)$/u;

/**
 * A command line for the shell of the user there, whichever it is: starts the daemon if none runs and prints one line about it. As at a
 * login, because Node, npm and agents are often put on the PATH only there, and sessions get the environment of the daemon.
 * `program` is null for `lectern` on that PATH.
 */
export function findDaemonCommand(program: string | null): string {
  const name = program === null ? "lectern" : quote(program);
  const answer = `d=$(${name} info --json) || exit $?; printf '\\n${ANSWER_MARK}%s\\n' "$d"`;
  const script = `if command -v ${name} >/dev/null 2>&1; then ${answer}; else exit ${NOT_INSTALLED_EXIT_CODE}; fi`;
  return `exec sh -c ${quote(`exec "\${SHELL:-/bin/sh}" -lc ${quote(`exec sh -c ${quote(script)}`)}`)}`;
}

/** For POSIX shells and fish, in whose single quotes a backslash is not always itself. csh reads it, too: the scripts have no "!". */
const quote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** Undefined if the output has no such line, or the daemon listens on no unix socket. */
export function readRemoteDaemon(output: string): RemoteDaemon | undefined {
  const line = output.split("\n").findLast((text) => text.startsWith(ANSWER_MARK));
  if (line === undefined) return undefined;
  try {
    const info = JSON.parse(line.slice(ANSWER_MARK.length)) as Readonly<Record<string, unknown>>;
    const versions = readVersions(info);
    const { listen } = info;
    if (versions === undefined || !Array.isArray(listen)) return undefined;
    const [socket] = listen.flatMap((each) => SOCKET.exec(String(each))?.groups?.["path"] ?? []);
    return socket === undefined ? undefined : { ...versions, socket };
  } catch {
    return undefined;
  }
}

/** The versions that a daemon states. It is on another machine, which may answer anything: undefined if that is not what it should be. */
export function readVersions(info: unknown): Omit<RemoteDaemon, "socket"> | undefined {
  if (typeof info !== "object" || info === null || !("version" in info) || !("protocolVersion" in info))
    return undefined;
  const { protocolVersion, version } = info;
  if (typeof version !== "string" || !VERSION.test(version) || !Number.isSafeInteger(protocolVersion)) return undefined;
  return { version, protocolVersion: Number(protocolVersion) };
}

/** Throws `VERSION_MISMATCH`, which names the machine to update. */
export function checkRemoteVersion(name: string, remote: Pick<RemoteDaemon, "version" | "protocolVersion">): void {
  const { protocolVersion, version } = remote;
  if (protocolVersion === PROTOCOL_VERSION) return;
  const next =
    protocolVersion > PROTOCOL_VERSION
      ? `update Lectern here to ${version}`
      : `update it there, then "lectern down && lectern up"; sessions keep running`;
  throw new LecternError(
    "VERSION_MISMATCH",
    `Cannot talk to host "${name}": Lectern ${version} there speaks protocol ${protocolVersion}, wanted ${PROTOCOL_VERSION}; ${next}`,
    { details: { host: name, daemon: protocolVersion, wanted: PROTOCOL_VERSION } },
  );
}
