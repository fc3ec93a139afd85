/** The program inside a sandbox that carries connections out of it: Perl where it works, because it starts in a tenth of the time, else Node. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { waits } from "../../core/waits.ts";

/** A port of 127.0.0.1 inside, and the unix socket that its connections lead to. */
export interface ForwardedPort {
  readonly port: number;
  readonly socket: string;
}

export interface Forwarder {
  /** The words in front of the program's. */
  readonly prefix: (ports: readonly ForwardedPort[], environment: Environment) => readonly string[];
  /** Set for it; the program does not see it. */
  readonly environment: (environment: Environment) => Readonly<Record<string, string>>;
  /** The program gets its signals with their default effect. */
  readonly resetsSignals: boolean;
  /** What it must see inside, also where Lectern itself is in a place that is hidden there, such as /tmp. */
  readonly files: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const PERL = "/usr/bin/perl";
/** `-t` and `-f`: nothing of the user's environment or of the site is loaded. */
const perlOptions = ["-t", "-f", "-C0"];
const script = fileURLToPath(new URL("../../../shell/forward.pl", import.meta.url));
const nodeEntry = fileURLToPath(new URL(`./forward-main${extname(import.meta.url)}`, import.meta.url));

/**
 * Numbers of system calls, by processor. On another one the forwarder stays in the session of the program's terminal (no `setsid`), and takes one
 * more process to start (no `clone`).
 */
const systemCalls: Readonly<Record<string, { readonly setsid: number; readonly clone: number }>> = {
  x64: { setsid: 112, clone: 56 },
  arm64: { setsid: 157, clone: 220 },
  riscv64: { setsid: 157, clone: 220 },
};

const wordsOf = (ports: readonly ForwardedPort[]): string[] => [
  ...ports.map(({ port, socket }) => `${port}=${socket}`),
  "--",
];

export const nodeForwarder: Forwarder = {
  prefix: (ports) => [process.execPath, "--no-warnings", nodeEntry, "start", ...wordsOf(ports)],
  environment: () => ({}),
  resetsSignals: false,
  files: [],
};

/** Perl complains about an unknown locale on the program's terminal. */
const BADLANG = "PERL_BADLANG";

export const perlForwarder: Forwarder = {
  prefix: (ports, environment) => [
    PERL,
    ...perlOptions,
    script,
    String(systemCalls[process.arch]?.setsid ?? 0),
    String(systemCalls[process.arch]?.clone ?? 0),
    environment[BADLANG] === undefined ? "0" : "1",
    ...wordsOf(ports),
  ],
  environment: (environment) => ({ [BADLANG]: environment[BADLANG] ?? "0" }),
  resetsSignals: true,
  files: [script],
};

let found: Promise<Forwarder> | undefined;

/** The one that works here; tried once. */
export function findForwarder(): Promise<Forwarder> {
  found ??= existsSync(PERL) ? tryPerl() : Promise.resolve(nodeForwarder);
  return found;
}

async function tryPerl(): Promise<Forwarder> {
  const [program, ...words] = [...perlForwarder.prefix([], {}), "/bin/true"];
  try {
    await promisify(execFile)(program ?? PERL, words, { timeout: waits.answerMs, env: { PATH: "/usr/bin:/bin" } });
    return perlForwarder;
  } catch {
    return nodeForwarder;
  }
}
