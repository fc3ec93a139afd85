/** The program inside a sandbox that carries connections out of it: `shell/forward.pl`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";

/** A port of 127.0.0.1 inside, and the unix socket that its connections lead to. */
export interface ForwardedPort {
  readonly port: number;
  readonly socket: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PERL = "/usr/bin/perl";
const packages = "apt install perl-base (Debian, Ubuntu), dnf install perl-interpreter (Fedora), apk add perl (Alpine)";
/** `-t` and `-f`: nothing of the user's environment or of the site is loaded. */
const perlOptions = ["-t", "-f", "-C0"];
const script = fileURLToPath(new URL("../../../shell/forward.pl", import.meta.url));

/**
 * Numbers of system calls, by processor. On another one the forwarder stays in the session of the program's terminal (no `setsid`), and takes one
 * more process to start (no `clone`).
 */
const systemCalls: Readonly<Record<string, { readonly setsid: number; readonly clone: number }>> = {
  x64: { setsid: 112, clone: 56 },
  arm64: { setsid: 157, clone: 220 },
  riscv64: { setsid: 157, clone: 220 },
};

/** Perl complains about an unknown locale on the program's terminal. */
const BADLANG = "PERL_BADLANG";

export const forwarder = {
  /** The words in front of the program's. It gets its signals with their default effect. */
  prefix: (ports: readonly ForwardedPort[], environment: Environment): readonly string[] => [
    PERL,
    ...perlOptions,
    script,
    String(systemCalls[process.arch]?.setsid ?? 0),
    String(systemCalls[process.arch]?.clone ?? 0),
    environment[BADLANG] === undefined ? "0" : "1",
    ...ports.map(({ port, socket }) => `${port}=${socket}`),
    "--",
  ],
  /** Set for the forwarder; the program does not see it. */
  environment: (environment: Environment): Readonly<Record<string, string>> => ({
    [BADLANG]: environment[BADLANG] ?? "0",
  }),
  /** What it must see inside, also where Lectern itself is in a place that is hidden there, such as /tmp. */
  files: [script] as readonly string[],
} as const;

let tried: Promise<void> | undefined;

/** Resolves if the forwarder works here; tried until it does. Throws `NOT_AVAILABLE` with the reason, and names the package that is missing. */
export function requireForwarder(perl = PERL): Promise<void> {
  tried ??= tryForwarder(perl).catch((error: unknown) => {
    tried = undefined;
    throw error;
  });
  return tried;
}

async function tryForwarder(perl: string): Promise<void> {
  const [, ...words] = [...forwarder.prefix([], {}), "/bin/true"];
  try {
    await promisify(execFile)(perl, words, { timeout: waits.answerMs, env: { PATH: "/usr/bin:/bin" } });
  } catch (cause) {
    const reason = existsSync(perl) ? `"${perl}" fails: ${(cause as Error).message.trim()}` : `there is no "${perl}"`;
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot open the way out of the sandbox: ${reason}. Choose a profile with "network: none", or install Perl: ${packages}`,
      { cause },
    );
  }
}
