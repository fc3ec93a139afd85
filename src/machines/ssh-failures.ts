/** Why a host is away, from what ssh or the program there wrote, with the next step. */
import { LecternError } from "../core/errors.ts";
import { displayCommand } from "../core/text/command-line.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import type { SshHost } from "./hosts-file.ts";
import { NOT_INSTALLED_EXIT_CODE } from "./remote-daemon.ts";
import { jsonValueOf } from "../core/json/json-value.ts";

/** How a command of ssh ended. */
export interface SshEnd {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly errors: string;
  /** The limit that it was ended at, in milliseconds; undefined if it ended by itself. */
  readonly limitMs?: number | undefined;
  /** A person could answer prompts. */
  readonly mayAsk: boolean;
  /** It is in the file of hosts; one that `lectern hosts add` could not reach is not. */
  readonly isAdded: boolean;
}

/** The exit code of ssh(1) for an error of its own. */
const SSH_FAILED = 255;
const REASON_CHARS_MAX = 300;

/** The command that connects again, where a person can answer. */
const again = (host: SshHost, { isAdded }: SshEnd): string =>
  isAdded ? `"lectern hosts check ${host.name}"` : adding(host);

function adding({ destination, name, program, sshOptions }: SshHost, ...more: readonly string[]): string {
  const options = sshOptions.flatMap((option) => ["-o", option]);
  const words = ["lectern", "hosts", "add", name, destination, ...options];
  return `"${displayCommand([...words, ...(program === null ? [] : ["--program", program]), ...more])}"`;
}

/** By the messages of OpenSSH 8 and 9 (sshconnect.c, sshconnect2.c, ssh.c). */
const known: readonly { readonly pattern: RegExp; readonly next: (host: SshHost, end: SshEnd) => string }[] = [
  {
    pattern: /host key verification failed|no .* host key is known/i,
    next: (host, end) => `connect once by hand to check its key: ${byHand(host)}; then run ${again(host, end)}`,
  },
  { pattern: /remote host identification has changed/i, next: () => "find out why before you trust the new key" },
  {
    pattern: /permission denied|too many authentication failures/i,
    next: (host, end) =>
      end.mayAsk
        ? `see its user name and your key: ${byHand(host)}`
        : `it may want a password or a second factor: run ${again(host, end)} in a terminal, or load your key`,
  },
  {
    pattern: /could not resolve hostname/i,
    next: ({ destination }) => `see "${destination}" in your ssh configuration`,
  },
  { pattern: /connection refused/i, next: () => "start its SSH server, or name its port: --ssh-option Port=N" },
  {
    pattern: /timed out|no route|network is unreachable|connection (reset|closed)/i,
    next: () => "see whether it is switched on and the network leads there",
  },
  {
    pattern: /command-line.*(bad|unsupported)|bad configuration option/i,
    next: (host, { isAdded }) =>
      isAdded ? `see its options: "lectern hosts ls", "lectern hosts rm ${host.name}"` : "correct its options",
  },
];

/** The error of a connection that was not made, or of a program that is not there or has failed. */
export function sshFailure(host: SshHost, end: SshEnd): LecternError {
  if (end.limitMs !== undefined) {
    const slow = end.mayAsk ? "" : `; if it asks for something, run ${again(host, end)} in a terminal`;
    return away(host, `no answer within ${end.limitMs / 1000} s${slow}`);
  }
  const reason = lastLine(end.errors);
  if (end.code === NOT_INSTALLED_EXIT_CODE) {
    const program = host.program ?? "lectern";
    return away(
      host,
      `"${program}" was not found there; install it there as here (README.md, "Install"), or name its path: ${adding({ ...host, program: "PATH" }, ...(end.isAdded ? ["--replace"] : []))}`,
    );
  }
  if (end.code !== SSH_FAILED)
    return away(host, `the daemon there does not start: ${reason === "" ? `exit code ${end.code ?? "none"}` : reason}`);
  const next = known.find(({ pattern }) => pattern.test(end.errors))?.next(host, end) ?? `try by hand: ${byHand(host)}`;
  return away(host, `${reason === "" ? "ssh failed" : reason}; ${next}`);
}

/** `MACHINE_AWAY`: its message is one line and names the host. */
export const away = ({ destination, name }: SshHost, reason: string, cause?: unknown): LecternError =>
  new LecternError("MACHINE_AWAY", `Cannot reach host "${name}" (${destination}): ${reason}`, {
    details: { host: name, reason },
    cause,
  });

const byHand = ({ destination, sshOptions }: SshHost): string =>
  ["ssh", ...sshOptions.map((option) => `-o "${option}"`), destination].join(" ");

/** What ssh or `lectern` wrote last is the reason; it comes from elsewhere, and is shown as text. */
function lastLine(errors: string): string {
  const lines = errors.split(/[\r\n]+/).map((line) => line.trim());
  const line = detailOf(lines.findLast((text) => text !== "") ?? "");
  return escapeForDisplay(line.slice(0, REASON_CHARS_MAX)).replace(/[.;]+$/, "");
}

/** `lectern info --json` reports a failure as a problem document. */
function detailOf(line: string): string {
  if (!line.startsWith("{")) return line;
  const { detail } = (jsonValueOf(line) ?? {}) as { readonly detail?: unknown };
  return typeof detail === "string" ? detail : line;
}
