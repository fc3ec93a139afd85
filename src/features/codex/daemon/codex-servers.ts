/** The servers of all sessions with Codex: each is read from the first sight of its terminal until the session ends. */
import type { FeatureDaemon } from "../../../daemon/operations/daemon-features.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import { CodexLink } from "./codex-link.ts";
import { serverFilesOf } from "./server-files.ts";

type CodexServersOptions = Pick<FeatureDaemon, "onError" | "problems" | "registry" | "version" | "views">;

export class CodexServers implements AsyncDisposable {
  readonly #options: CodexServersOptions;
  readonly #links = new Map<SessionEntry, CodexLink>();
  readonly #subscription: Disposable;

  constructor(options: CodexServersOptions) {
    this.#options = options;
    this.#subscription = options.views.subscribe((entry, changes) => {
      if (changes.some(({ kind }) => kind === "status")) this.#beginIfShown(entry);
    });
  }

  /** Sessions of a daemon before this one. */
  start(): void {
    for (const entry of this.#options.registry.all) this.follow(entry);
  }

  follow(entry: SessionEntry): void {
    const files = entry.live ? serverFilesOf(entry.directory) : undefined;
    if (files === undefined || this.#links.has(entry)) return;
    const { onError, problems, version } = this.#options;
    const { name } = entry.stored;
    const link = new CodexLink({
      entry,
      files,
      version,
      onPlain: (reason) =>
        problems.note(`The server of Codex in session "${name}" is not read: ${reason}; its screen is read instead`),
      onError,
    });
    this.#links.set(entry, link);
    entry.answerServer = async (request, option) => await link.answer(request, option);
    this.#beginIfShown(entry);
    this.#leaveAtEnd(entry, link).catch(onError);
  }

  async #leaveAtEnd(entry: SessionEntry, link: CodexLink): Promise<void> {
    await entry.untilEnd();
    this.#links.delete(entry);
    await link[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await Promise.all([...this.#links.values()].map(async (link) => await link[Symbol.asyncDispose]()));
  }

  #beginIfShown(entry: SessionEntry): void {
    const { agent, state } = entry.status ?? { agent: null, state: "starting" };
    if (agent === "codex" && state !== "starting") this.#links.get(entry)?.begin();
  }
}
