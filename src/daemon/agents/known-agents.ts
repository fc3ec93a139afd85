/** The agents that the daemon knows: the built-in ones and users' own, read again when a file in one of the folders changes. */
import { mkdirSync, watch, type FSWatcher } from "node:fs";
import type { AgentFile } from "../../core/agents/agent-file.ts";
import type { AgentFiles, AgentFileProblem } from "../../core/agents/agent-reader.ts";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import type { AgentRegistry } from "../../core/agents/registry.ts";
import { registryWith } from "../../core/agents/user-agents.ts";
import { threadJobs, type JobInput } from "../jobs/thread-jobs.ts";
import { JobThread } from "../jobs/job-thread.ts";
import { readAgentFolders } from "./agent-folders.ts";
import { errorMessage, LecternError } from "../../core/errors.ts";

/** An editor writes a file in several steps. */
const SETTLE_MS = 100;
const PROBLEMS_SHOWN_MAX = 5;

export interface KnownAgentsOptions {
  /** Told of users' own files when they are read first, if there are any, and when they have changed. */
  readonly onFiles: (files: readonly AgentFile[]) => void;
  /** What is wrong with the files, or null; a file with an error does not count, or counts as it was before. */
  readonly onProblem: (problem: string | null) => void;
}

export class KnownAgents implements Disposable {
  readonly #folders: readonly [string, ...string[]];
  readonly #options: KnownAgentsOptions;
  readonly #watchers: FSWatcher[] = [];
  readonly #thread = new JobThread();
  #files: AgentFiles["files"] = new Map();
  #registry: AgentRegistry = builtInAgents;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(folders: readonly [string, ...string[]], options: KnownAgentsOptions) {
    this.#folders = folders;
    this.#options = options;
  }

  /** The first folder is made if it does not exist. */
  static async open(folders: readonly [string, ...string[]], options: KnownAgentsOptions): Promise<KnownAgents> {
    const known = new KnownAgents(folders, options);
    try {
      mkdirSync(folders[0], { recursive: true, mode: 0o700 });
      for (const folder of folders) known.#watchers.push(watch(folder, () => known.#changed()));
    } catch (error) {
      options.onProblem(`Cannot watch the agent files: ${errorMessage(error)}`);
    }
    for (const watcher of known.#watchers) watcher.on("error", () => undefined).unref();
    await known.#read(threadJobs.agents);
    return known;
  }

  /** As they are now. */
  get registry(): AgentRegistry {
    return this.#registry;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #changed(): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed)
      this.#timer = setTimeout(() => {
        this.#reading = this.#reading.then(() => this.#read((input) => this.#thread.run("agents", input)));
      }, SETTLE_MS);
  }

  /** At the start in this thread: no session runs yet. */
  async #read(readAgentFiles: (input: JobInput<"agents">) => Promise<AgentFiles>): Promise<void> {
    try {
      const texts = await readAgentFolders(this.#folders);
      if (texts.length === 0 && this.#files.size === 0) return this.#options.onProblem(null);
      const { files, problems } = await readAgentFiles({ texts, before: this.#files });
      if (this.#isClosed) return;
      this.#options.onProblem(problemText(problems));
      if (JSON.stringify([...files]) === JSON.stringify([...this.#files])) return;
      this.#files = files;
      this.#registry = registryWith([...files.values()]);
      this.#options.onFiles([...files.values()]);
    } catch (error) {
      const isWhole = error instanceof LecternError;
      this.#options.onProblem(isWhole ? error.message : `Cannot read the agent files: ${errorMessage(error)}`);
    }
  }
}

function problemText(problems: readonly AgentFileProblem[]): string | null {
  if (problems.length === 0) return null;
  const lines = problems
    .slice(0, PROBLEMS_SHOWN_MAX)
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  const more = problems.length > lines.length ? ` and ${problems.length - lines.length} more` : "";
  return `Agent files: ${lines.join("; ")}${more}`;
}
