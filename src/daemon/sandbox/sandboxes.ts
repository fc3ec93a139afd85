/**
 * The sandboxes of the daemon's sessions. A session has in `sandbox.json` beside its journal what the next daemon needs: the profile, for the
 * sessions that it starts, and the stand-ins to remove at its end.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { LecternError } from "../../core/errors.ts";
import { bubblewrapWords } from "../../core/sandbox/bubblewrap.ts";
import type { SandboxPlan, StandIn, WayOut } from "../../core/sandbox/plan.ts";
import { SANDBOX_PROFILES, type SandboxNetwork, type SandboxProfile } from "../../core/sandbox/profile.ts";
import { profileOf, type SandboxData } from "../../core/sandbox/sandbox-schema.ts";
import { nearestWord } from "../../core/text/nearest.ts";
import { eventSocketPath } from "../../host/socket-path.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { SandboxInput } from "../../protocol/session-options.ts";
import type { SandboxFinding, SessionSandbox } from "../../protocol/session.ts";
import type { LecternPaths } from "../paths.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { readPolicy } from "../jobs/read-policy.ts";
import { JobThread } from "../jobs/job-thread.ts";
import { probeSandbox, type SandboxBackend } from "./backend.ts";
import { filterFile } from "./filter-file.ts";
import { absoluteProfile, makePlan, type PlanRequest } from "./make-plan.ts";
import { copyPrivatePlaces, removePrivateCopies } from "./private-copies.ts";
import { changedBuilds } from "./build-files.ts";
import { madeBelow } from "./made-below.ts";
import { setAsidePlaces } from "./new-places.ts";
import { setAsideNew } from "./set-aside.ts";
import { StandIns } from "./stand-ins.ts";
import { readJsonFile } from "../../host/json-file.ts";

/** What is asked for: the profile, and whether the session starts without a sandbox if there is none. */
export interface WantedSandbox {
  readonly profile: SandboxProfile;
  readonly isOptional: boolean;
}

interface Program extends Omit<PlanRequest, "profile" | "workingDirectory" | "ownDirectories"> {
  readonly host: HostClient;
}

export interface Walls {
  /** What its programs may reach. */
  readonly network: SandboxNetwork;
  /** The words before the command. `wayOut` leads to `network`; null if that is nothing. */
  readonly wrapper: (wayOut: WayOut | null) => readonly string[];
}

interface Begun {
  readonly record: SessionSandbox;
  /** Undefined without a sandbox. */
  readonly walls: Walls | undefined;
}

const SANDBOX_FILE = "sandbox.json";
/** From this version on a host puts the wrapper before the command. */
const HOST_PROTOCOL_WITH_WRAPPER = 3;
const promises = ["files", "processes", "network", "sockets", "terminal"] as const;

const standInSchema = z.strictObject({ path: z.string(), text: z.string().nullable() });
const list = z.array(z.string());
const fileSchema = z.strictObject({
  version: z.literal(1),
  profile: z.strictObject({
    name: z.string(),
    write: list,
    caches: list,
    hide: list,
    readOnly: list,
    network: z.union([z.enum(["none", "gateway", "ask"]), list]),
    transcripts: z.literal(false).optional(),
  }),
  isOptional: z.boolean(),
  standIns: z.array(standInSchema),
  /** The directories that can be written, as they were at the start (`WritableRoot`); `present` is absent if an earlier version has made them. */
  repositories: z
    .array(
      z.strictObject({
        root: z.string(),
        links: list,
        present: list.optional(),
        builds: z.record(z.string(), z.string()).default({}),
      }),
    )
    .default([]),
  /** Milliseconds since the epoch: when the sandbox was made. Absent if an earlier version has made it. */
  sinceMs: z.int().optional(),
});
type SandboxFile = z.output<typeof fileSchema>;

export class Sandboxes {
  readonly #paths: LecternPaths;
  readonly #save: (entry: SessionEntry) => Promise<void>;
  readonly #standIns = new StandIns();
  #backend: Promise<SandboxBackend> | undefined;

  constructor(paths: LecternPaths, save: (entry: SessionEntry) => Promise<void>) {
    this.#paths = paths;
    this.#save = save;
  }

  /** What a start asks for; undefined without a sandbox. A policy with a `sandbox` block has one in any case. Throws `INVALID_INPUT`. */
  async wanted(input: SandboxInput | undefined, policy: string | undefined): Promise<WantedSandbox | undefined> {
    const named = input?.profile;
    const data = input?.settings === undefined ? await dataOfPolicy(policy) : await settingsOf(input.settings);
    if (data === null && input === undefined) return undefined;
    const base = SANDBOX_PROFILES.find((name) => name === named);
    if (named !== undefined && base === undefined) throw unknownProfile(named);
    return { profile: profileOf(data ?? {}, base), isOptional: input?.optional ?? false };
  }

  /** The sandbox of a session, for one that it starts. Throws `NOT_AVAILABLE` if its file is damaged. */
  inherited(parent: SessionEntry): WantedSandbox | undefined {
    if (parent.stored.sandbox === undefined) return undefined;
    const file = readSandboxFile(parent);
    if (file !== undefined) return file;
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot start a session from "${parent.stored.name}": "${SANDBOX_FILE}" is damaged, so its sandbox is not known; start it outside`,
    );
  }

  /** Gets a sandbox ready before the program starts. Throws `NOT_AVAILABLE` with the remedy, and what `makePlan` throws. */
  async begin(entry: SessionEntry, { isOptional, profile }: WantedSandbox, program: Program): Promise<Begun> {
    const backend = await this.#find(program.host);
    const home = program.environment["HOME"];
    const file: SandboxFile = {
      version: 1,
      sinceMs: Date.now(),
      profile: writable(absoluteProfile(profile, entry.stored.workingDirectory, home)),
      isOptional,
      standIns: [],
      repositories: [],
    };
    if (!backend.isAvailable) {
      if (!isOptional) throw notAvailable(backend);
      writeSandboxFile(entry, file);
      return {
        walls: undefined,
        record: {
          profile: profile.name,
          backend: "none",
          promises: [],
          missing: [...promises],
          setAside: [],
          findings: [],
        },
      };
    }
    const { plan, roots } = await makePlan({
      ...program,
      profile,
      workingDirectory: entry.stored.workingDirectory,
      ownDirectories: this.#own,
    });
    const write = (standIns: readonly StandIn[]): void =>
      writeSandboxFile(entry, {
        ...file,
        standIns: standIns.map((standIn) => ({ ...standIn })),
        repositories: roots.map(({ builds, links, present, root }) => ({
          root,
          links: [...links],
          present: [...present],
          builds: { ...builds },
        })),
      });
    write(this.#take(entry, plan, write));
    const privateDirectory = privateDirectoryOf(entry);
    copyPrivatePlaces(plan.mounts, privateDirectory);
    const { bubblewrap, filterFile: filter } = backend;
    const own = { bubblewrap, filterFile: filter, eventSocket: eventSocketPath(program.host.path), privateDirectory };
    return {
      walls: { network: profile.network, wrapper: (wayOut) => bubblewrapWords({ ...plan, wayOut }, own) },
      record: {
        profile: profile.name,
        backend: "bubblewrap",
        promises: [...promises],
        missing: [],
        setAside: null,
        findings: [],
      },
    };
  }

  /** Whether the record of its agent may be read; not if its file is damaged. */
  allowsTranscripts(entry: SessionEntry): boolean {
    if (entry.stored.sandbox === undefined) return true;
    const file = readSandboxFile(entry);
    return file !== undefined && file.profile.transcripts !== false;
  }

  /** After a restart of the daemon, for a running session: before any `end`, because stand-ins are shared. */
  resume(entry: SessionEntry): void {
    if (entry.stored.sandbox?.backend === "bubblewrap")
      this.#standIns.hold(entry.id, readSandboxFile(entry)?.standIns ?? []);
  }

  /** Removes its stand-ins and copies. Nothing that the program has put into a directory runs at the next command of a person. */
  async end(entry: SessionEntry): Promise<void> {
    const file = readSandboxFile(entry);
    if (file === undefined) return;
    this.#standIns.hold(entry.id, file.standIns);
    this.#standIns.release(entry.id, file.standIns);
    removePrivateCopies(privateDirectoryOf(entry));
    writeSandboxFile(entry, { ...file, standIns: [] });
    const { sandbox, state } = entry.stored;
    if (sandbox?.setAside !== null || state === "starting") return;
    entry.stored = {
      ...entry.stored,
      sandbox: { ...sandbox, ...(await searchRoots(file, (path) => this.#standIns.holds(path))) },
    };
    await this.#save(entry);
  }

  get #own(): readonly string[] {
    const { dataDirectory, machinesDirectory, runtimeDirectory } = this.#paths;
    return [dataDirectory, runtimeDirectory, machinesDirectory];
  }

  #take(
    entry: SessionEntry,
    plan: SandboxPlan,
    beforeMaking: (missing: readonly StandIn[]) => void,
  ): readonly StandIn[] {
    try {
      return this.#standIns.take(entry.id, plan, beforeMaking);
    } catch (error) {
      const { code = "error", path = plan.workingDirectory } = error as NodeJS.ErrnoException;
      throw new LecternError(
        "INVALID_INPUT",
        `Cannot make the sandbox: "${path}" must be made so that nothing else can be put there, and that failed (${code}); choose a directory that you can write, or a profile that writes in none`,
        { cause: error },
      );
    }
  }

  /** A backend that works is remembered; one that does not is tried again with each start. */
  async #find(host: HostClient): Promise<SandboxBackend> {
    if (host.hello.protocol < HOST_PROTOCOL_WITH_WRAPPER) {
      const reason = `the pty host is of Lectern ${host.hello.version}`;
      return { isAvailable: false, reason, next: 'Run "lectern down", then start the session again' };
    }
    const { runtimeDirectory } = this.#paths;
    this.#backend ??= probeSandbox(runtimeDirectory, process.env);
    const backend = await this.#backend;
    if (!backend.isAvailable) this.#backend = undefined;
    else filterFile(runtimeDirectory);
    return backend;
  }
}

/** Sets aside what something would execute unread, and finds what a person should read. `isHeld`: it is of a session that runs. */
async function searchRoots(
  { repositories, sinceMs }: SandboxFile,
  isHeld: (path: string) => boolean,
): Promise<Pick<SessionSandbox, "findings" | "setAside">> {
  const setAside = new Set<string>();
  const findings: SandboxFinding[] = [];
  const roots = repositories.map(({ root }) => root);
  for (const { builds, links, present, root } of repositories) {
    for (const path of present === undefined ? [] : setAsidePlaces(root, new Set(present), isHeld)) setAside.add(path);
    const made = sinceMs === undefined ? undefined : await madeBelow({ root, sinceMs, roots });
    for (const directory of await setAsideNew(root, new Set(links), { made: made?.repositories }))
      setAside.add(directory);
    findings.push(...changedBuilds(root, builds), ...(made?.findings ?? []));
    for (const { directory, isNew } of made?.repositories ?? [])
      if (isNew && !setAside.has(directory)) findings.push({ what: "repository", path: directory, detail: "" });
  }
  return { setAside: [...setAside], findings: findings.filter(({ path }) => !isHeld(path)) };
}

/** The copies of an agent's files. */
const privateDirectoryOf = ({ directory }: SessionEntry): string => join(directory, "private");

const writable = (profile: SandboxProfile): SandboxFile["profile"] => ({
  ...profile,
  write: [...profile.write],
  caches: [...profile.caches],
  hide: [...profile.hide],
  readOnly: [...profile.readOnly],
  network: typeof profile.network === "string" ? profile.network : [...profile.network],
});

const notAvailable = ({ next, reason }: Extract<SandboxBackend, { isAvailable: false }>): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    `Cannot start in a sandbox: ${reason}. ${next}. Or start without one: --sandbox-optional`,
  );

function unknownProfile(name: string): LecternError {
  const nearest = nearestWord(name, SANDBOX_PROFILES);
  const hint =
    nearest === undefined ? `wanted one of ${SANDBOX_PROFILES.join(", ")}, or a file` : `did you mean "${nearest}"?`;
  return new LecternError("INVALID_INPUT", `Unknown sandbox profile "${name}": ${hint}`);
}

async function settingsOf(text: string): Promise<SandboxData> {
  const checked = await new JobThread().run("sandbox", text);
  if (checked.ok) return checked.data;
  const [problem] = checked.problems;
  const place = problem === undefined ? "" : `, line ${problem.line}: ${problem.message}`;
  throw new LecternError("INVALID_INPUT", `Cannot use the settings of the sandbox${place}; see docs/sandbox.md`);
}

/** A policy that is not valid is reported by the gateway. */
async function dataOfPolicy(text: string | undefined): Promise<SandboxData | null> {
  if (text === undefined) return null;
  const checked = await readPolicy(text);
  return checked.ok ? (checked.data.sandbox ?? null) : null;
}

const readSandboxFile = (entry: SessionEntry): SandboxFile | undefined =>
  fileSchema.safeParse(readJsonFile(join(entry.directory, SANDBOX_FILE))).data;

function writeSandboxFile(entry: SessionEntry, file: SandboxFile): void {
  writeFileSync(join(entry.directory, SANDBOX_FILE), JSON.stringify(file), { mode: 0o600 });
}
