/**
 * The configuration of the daemon: `lectern.yaml` in the data directory. It is read at the start and by `reload`, never by itself. A section
 * with an error has its defaults at the start; a file with an error changes nothing at a reload.
 */
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { CheckedConfig, ConfigData, ConfigProblem } from "../../core/config/check-config.ts";
import { changedKeys } from "../../core/config/config-changes.ts";
import type { PlacedKey } from "../../core/config/config-section.ts";
import { sectionValue } from "../../core/config/config-values.ts";
import { configSections, type SectionName, type ValueOf } from "../../core/config/sections.ts";
import { readConfig } from "./read-config.ts";

const PROBLEMS_SHOWN_MAX = 5;

export interface ConfigReload {
  /** The keys that differ from what was in force, such as `listen.port`. */
  readonly changed: readonly string[];
  /** The keys that count when the daemon starts again, and differ from what it was started with. */
  readonly needRestart: readonly string[];
  /** Not empty: what was in force before still is. */
  readonly problems: readonly ConfigProblem[];
  /** What parts report that read files of their own again, such as a certificate. */
  readonly notes: readonly string[];
  /** What could not be loaded again, such as a certificate: its former state is in force. */
  readonly failures: readonly string[];
}

/** Loads again what the configuration refers to. Resolves to what a person should know of it; a `LecternError` is a failure to report. */
export type ReloadedPart = () => Promise<readonly string[]>;

type Environment = Readonly<Record<string, string | undefined>>;
type Listener = () => void;

export class DaemonConfig {
  /** Undefined: there is none, and there will not be one. */
  readonly file: string | undefined;
  /** Told of what is wrong with the file, and with null when nothing is any more. */
  onProblem: (problem: string | null) => void = () => undefined;
  readonly #environment: Environment;
  #data: ConfigData = {};
  /** As it was at the start. */
  #started: ConfigData = {};
  #problems: readonly ConfigProblem[] = [];
  #exists = false;
  readonly #listeners = new Map<SectionName, Set<Listener>>();
  readonly #parts = new Set<ReloadedPart>();
  #reloading: Promise<unknown> = Promise.resolve();

  private constructor(file: string | undefined, environment: Environment) {
    this.file = file;
    this.#environment = environment;
  }

  /** All keys have their defaults. */
  static readonly none = (): DaemonConfig => new DaemonConfig(undefined, {});

  static async open(file: string, environment: Environment): Promise<DaemonConfig> {
    const config = new DaemonConfig(file, environment);
    const checked = await readConfig(file, "user");
    config.#take(checked);
    config.#started = config.#data;
    return config;
  }

  /** The absolute path of one in the file: `~/` is the home directory, another relative path is in the directory of the file. */
  pathOf(written: string): string {
    const home = /^~(?:\/|$)/.test(written) ? homedir() : undefined;
    return home === undefined ? resolve(dirname(this.file ?? "/"), written) : resolve(home, `.${written.slice(1)}`);
  }

  get exists(): boolean {
    return this.#exists;
  }

  /** One line with the first problems of the file; null if it has none. */
  get problem(): string | null {
    const { file } = this;
    const lines = this.#problems.slice(0, PROBLEMS_SHOWN_MAX).map(({ column, line, message }) => {
      return `${file}:${line}:${column}: ${message}`;
    });
    const more = this.#problems.length - lines.length;
    if (lines.length === 0) return null;
    const next = 'correct it, then run "lectern reload"';
    return `The configuration has errors: ${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}; ${next}`;
  }

  /** What is in force for a section, with the defaults of the keys that the file does not have. */
  get<Name extends SectionName>(name: Name): ValueOf<Name> {
    return sectionValue(name, { user: this.#data, environment: this.#environment });
  }

  /** Calls back after a reload that has changed the section; an error of the listener is an error of the reload. */
  onChange<Name extends SectionName>(name: Name, listener: (value: ValueOf<Name>) => void): Disposable {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    const call = (): void => listener(this.get(name));
    listeners.add(call);
    return { [Symbol.dispose]: () => void listeners.delete(call) };
  }

  /** Called with each reload that is in force, also of a file that is the same. */
  onReload(part: ReloadedPart): Disposable {
    this.#parts.add(part);
    return { [Symbol.dispose]: () => void this.#parts.delete(part) };
  }

  /** Reads the file again. Reloads at the same time happen one after the other. */
  async reload(): Promise<ConfigReload> {
    const result = this.#reloading.then(async () => await this.#reload());
    this.#reloading = result.catch(() => undefined);
    return result;
  }

  async #reload(): Promise<ConfigReload> {
    const checked = this.file === undefined ? undefined : await this.#readAgain(this.file);
    if (checked !== undefined && checked.problems.length > 0) {
      this.#problems = checked.problems;
      this.onProblem(this.problem);
      return { changed: [], needRestart: this.#needRestart(), problems: checked.problems, notes: [], failures: [] };
    }
    const before = this.#data;
    this.#take(checked);
    this.onProblem(null);
    const keys = changedKeys(configSections, before, this.#data);
    const sections = new Set(keys.map(({ path }) => path[0] as SectionName));
    for (const section of sections) for (const call of this.#listeners.get(section) ?? []) call();
    const notes: string[] = [];
    const failures: string[] = [];
    for (const part of this.#parts) {
      try {
        notes.push(...(await part()));
      } catch (error) {
        if (!(error instanceof LecternError)) throw error;
        failures.push(error.message);
      }
    }
    return { changed: namesOf(keys), needRestart: this.#needRestart(), problems: [], notes, failures };
  }

  /** Beside the event loop: sessions run. */
  async #readAgain(file: string): Promise<CheckedConfig | undefined> {
    const { JobThread } = await import("../jobs/job-thread.ts");
    return await readConfig(file, "user", async (input) => await new JobThread().run("config", input));
  }

  #needRestart(): string[] {
    const keys = changedKeys(configSections, this.#started, this.#data);
    return namesOf(keys.filter(({ key }) => key.needsRestart === true));
  }

  #take(checked: CheckedConfig | undefined): void {
    this.#exists = checked !== undefined;
    this.#data = checked?.data ?? {};
    this.#problems = checked?.problems ?? [];
  }
}

const namesOf = (keys: readonly PlacedKey[]): string[] => keys.map(({ path }) => path.join("."));
