/**
 * The command lines of ssh(1). One connection for each host carries everything: the first command opens it and leaves it open in the
 * background (ControlMaster, ControlPersist), later ones use it. Configuration, keys, agent, jumps and prompts are the user's own.
 */
import type { SshHost } from "./hosts-file.ts";

/** Where the connection of a host is: two sockets. */
export interface LinkPlaces {
  /** Of ssh, for commands about the connection. */
  readonly controlSocket: string;
  /** Leads to the socket of the daemon there. */
  readonly socket: string;
}

/** A connection that nobody uses is closed. */
const IDLE_SECONDS = 600;
/** A peer that answers none of three questions is gone: the connection ends after 15 s of silence at most. */
const ALIVE_SECONDS = 5;
const ALIVE_COUNT_MAX = 3;
/** To connect, and to each greeting. */
const CONNECT_SECONDS = 10;

/** A command there; connects if necessary. `mayAsk`: a person can answer prompts, such as a second factor. */
export function runArguments(
  host: SshHost,
  { controlSocket }: LinkPlaces,
  { command, mayAsk }: { readonly command: string; readonly mayAsk: boolean },
): string[] {
  const own = {
    ControlMaster: "auto",
    ControlPath: escapePercent(controlSocket),
    ControlPersist: String(IDLE_SECONDS),
    // The sockets of a connection that was killed are still there.
    StreamLocalBindUnlink: "yes",
    StreamLocalBindMask: "0177",
    ServerAliveInterval: String(ALIVE_SECONDS),
    ServerAliveCountMax: String(ALIVE_COUNT_MAX),
    ConnectTimeout: String(CONNECT_SECONDS),
    // What the user's configuration adds to every connection is not wanted on this one.
    ClearAllForwardings: "yes",
    ForwardAgent: "no",
    ForwardX11: "no",
    RequestTTY: "no",
    RemoteCommand: "none",
    PermitLocalCommand: "no",
    LogLevel: "ERROR",
    BatchMode: mayAsk ? "no" : "yes",
  };
  return [...optionArguments(own), ...hostArguments(host), "--", host.destination, command];
}

/** Adds or removes the way from the socket here to the one of the daemon there, on an open connection. */
export const forwardArguments = (
  host: SshHost,
  { controlSocket, socket }: LinkPlaces,
  { action, remoteSocket }: { readonly action: "forward" | "cancel"; readonly remoteSocket: string },
): string[] => [
  ...controlArguments(controlSocket, action),
  "-L",
  `${escapeForward(socket)}:${escapeForward(remoteSocket)}`,
  "--",
  host.destination,
];

/** Ends an open connection. */
export const exitArguments = (host: SshHost, { controlSocket }: LinkPlaces): string[] => [
  ...controlArguments(controlSocket, "exit"),
  "--",
  host.destination,
];

/** Without the user's configuration, whose forwardings would be asked for, too. */
const controlArguments = (controlSocket: string, command: string): string[] => [
  "-F",
  "none",
  ...optionArguments({ ControlPath: escapePercent(controlSocket), LogLevel: "ERROR" }),
  "-O",
  command,
];

/** The first value of an option holds in ssh, so ours stand before those of the user. */
const optionArguments = (options: Readonly<Record<string, string>>): string[] =>
  Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);

const hostArguments = ({ sshOptions }: SshHost): string[] => sshOptions.flatMap((option) => ["-o", option]);

/** In paths of sockets ssh expands `%h` and its like. */
const escapePercent = (path: string): string => path.replaceAll("%", "%%");

/** A colon would end the path. `${NAME}` cannot be escaped: `remote-daemon.ts` takes no such path, `paths.ts` makes none. */
const escapeForward = (path: string): string => escapePercent(path).replaceAll(/[\\:]/g, String.raw`\$&`);
