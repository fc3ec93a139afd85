/** Notices of this daemon. Nothing is loaded, opened or watched before something is configured, or somebody asks. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { anySession, type NotifyRule } from "../core/rules.ts";
import type { HookSettings, NotifySettings } from "../core/settings.ts";
import type { DaemonConfig } from "../../../daemon/config/daemon-config.ts";
import type { QuestionList } from "../../../daemon/approvals/question-list.ts";
import type { Machines } from "../../../daemon/machines/machines.ts";
import type { DaemonMetrics } from "../../../daemon/metrics/daemon-metrics.ts";
import type { LecternPaths } from "../../../daemon/paths.ts";
import type { DaemonProblems } from "../../../daemon/problems.ts";
import type { Prompts } from "../../../daemon/acting/prompts.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import type { AnswerPage, NoticeSource, TerminalNotice } from "../../../daemon/service.ts";
import type { Store } from "../../../daemon/store/store.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import type { ChannelSource } from "./channels/channel.ts";
import type { Notifier } from "./notifier.ts";
import type { Push } from "./push/push.ts";
import type { DaemonTimes } from "../../../daemon/times.ts";
import type { OutgoingNotice } from "../core/notice.ts";

/** The name of all devices in rules. */
const PUSH = "push";
const DEVICES_FILE = "push-subscriptions.json";
const deviceRule: Omit<NotifyRule, "afterMs"> = {
  on: ["blocked"],
  sessions: anySession,
  content: "question",
  presence: true,
  to: [PUSH],
};

/** What the configuration has now. */
export interface CurrentSettings {
  readonly notify: NotifySettings;
  readonly hooks: readonly HookSettings[];
}

export interface NotifyOptions {
  readonly paths: LecternPaths;
  readonly store: Pick<Store, "thread">;
  readonly registry: SessionRegistry;
  readonly views: SessionViews;
  readonly approvals: QuestionList;
  readonly machines: Machines;
  readonly prompts: Prompts;
  readonly problems: DaemonProblems;
  readonly metrics: DaemonMetrics;
  readonly config: DaemonConfig;
  readonly times: Pick<DaemonTimes, "deviceAfterMs" | "noticeGapMs">;
  readonly onError: (error: unknown) => void;
}

/** What a notifier works with. */
export interface NotifyParts extends NotifyOptions {
  readonly settings: () => CurrentSettings;
  readonly terminals: TerminalNotices;
  /** When it was first wanted. */
  readonly wantedMs: number;
  /** Targets that are not in the configuration, by the name that rules have for all of them. */
  readonly sources: Readonly<Record<string, ChannelSource>>;
}

export class Notify implements AsyncDisposable {
  readonly terminals = new TerminalNotices();
  readonly #options: NotifyOptions;
  readonly #changes = new DisposableStack();
  #settings: CurrentSettings | undefined;
  #notifier: Promise<Notifier> | undefined;
  #push: Push | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(options: NotifyOptions) {
    this.#options = options;
  }

  /** A device that wants notices gets questions, unless a rule says what goes to devices. */
  get settings(): CurrentSettings {
    const given = (this.#settings ??= this.#read());
    const { rules } = given.notify;
    if (!this.#hasDevices || rules.some(({ to }) => to.includes(PUSH))) return given;
    return {
      ...given,
      notify: { ...given.notify, rules: [...rules, { ...deviceRule, afterMs: this.#options.times.deviceAfterMs }] },
    };
  }

  /** Opened at the first use. Rejects with `UNSAFE_PERMISSIONS` and `NOT_AVAILABLE`. */
  async push(): Promise<Push> {
    if (this.#push === undefined) {
      const { paths } = this.#options;
      const { Push: Opened } = await import("./push/push.ts");
      this.#push ??= new Opened({
        dataDirectory: paths.dataDirectory,
        privateTargets: () => this.settings.notify.privateTargets,
      });
    }
    return this.#push;
  }

  /** Whether a device wants notices; where it is not opened, by the file that says so. */
  get #hasDevices(): boolean {
    if (this.#push !== undefined) return this.#push.devices.length > 0;
    return existsSync(join(this.#options.paths.dataDirectory, DEVICES_FILE));
  }

  /** The sessions are registered and followed. */
  start(): void {
    this.#isStarted = true;
    const { config } = this.#options;
    for (const section of ["notify", "hooks"] as const) {
      this.#changes.use(
        config.onChange(section, () => {
          this.#settings = undefined;
          this.configured();
        }),
      );
    }
    this.configured();
  }

  /** The configuration has changed, or a session with a command of its own has come. */
  configured(): void {
    if (!this.#isStarted || this.#isClosed) return;
    const { onError, registry } = this.#options;
    if (this.#notifier !== undefined) void this.#notifier.then((notifier) => notifier.configured()).catch(onError);
    else if (
      this.#isWanted ||
      [...registry.all].some(({ stored }) => stored.options.onBlocked !== undefined && stored.endedAt === null)
    )
      this.use().catch(onError);
  }

  /** Opened at the first use. */
  async use(): Promise<Notifier> {
    this.#notifier ??= this.#open();
    try {
      return await this.#notifier;
    } catch (error) {
      // The next one tries again.
      this.#notifier = undefined;
      throw error;
    }
  }

  /** A browser has subscribed. What the device shows that it `replaces` is taken off by this one. */
  async subscribed(device: string, replaces: string | undefined): Promise<void> {
    this.configured();
    const { outbox, shown } = await this.use();
    await outbox.enable(`${PUSH}/${device}`);
    if (replaces !== undefined && replaces !== device) await shown.moved(`${PUSH}/${replaces}`, `${PUSH}/${device}`);
  }

  /** Without a notice there is no link: nothing is opened for whoever asks. */
  async answerLink(token: string, use: boolean): Promise<AnswerPage> {
    const notifier = await this.#notifier?.catch(() => undefined);
    if (notifier === undefined) return { type: "end", status: 404, text: "This link is unknown" };
    if (!use) return await notifier.links.show(token);
    await notifier.shown.pressed(token);
    return await notifier.links.use(token);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#changes.dispose();
    await (await this.#notifier?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  #read(): CurrentSettings {
    const { config } = this.#options;
    return { notify: config.get("notify"), hooks: config.get("hooks") };
  }

  get #isWanted(): boolean {
    const { hooks, notify } = this.settings;
    return notify.rules.length > 0 || hooks.length > 0;
  }

  /** Devices whose file is damaged get nothing; other channels do. */
  async #sources(): Promise<NotifyParts["sources"]> {
    const { problems } = this.#options;
    try {
      const push = await this.push();
      problems.set(PUSH, null);
      return { [PUSH]: push };
    } catch (error) {
      problems.set(PUSH, error instanceof Error ? error.message : String(error));
      return {};
    }
  }

  async #open(): Promise<Notifier> {
    const { terminals } = this;
    const wantedMs = Date.now();
    const { Notifier: Opened } = await import("./notifier.ts");
    const parts = { ...this.#options, settings: () => this.settings, terminals, wantedMs };
    return await Opened.open({ ...parts, sources: await this.#sources() });
  }
}

/** Notices for the terminals that are attached to sessions: messages of the client's connection, never bytes of a pty. */
class TerminalNotices implements NoticeSource {
  readonly #listeners = new Set<(notice: TerminalNotice) => void>();

  subscribe(listener: (notice: TerminalNotice) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The number of terminals. */
  show({ body, session, title }: OutgoingNotice): number {
    for (const listener of this.#listeners) listener({ title, body, session: session?.id ?? null });
    return this.#listeners.size;
  }
}
