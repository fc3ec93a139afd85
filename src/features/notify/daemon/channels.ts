/** The channels by name: those of the configuration, of a session's own command, and of sources with targets of their own. */
import { COMMAND_MS_DEFAULT, OWN_CHANNEL, type SecretText } from "../core/settings.ts";
import type { NotifyRule } from "../core/rules.ts";
import type { Channel, ChannelContext } from "./channels/channel.ts";
import { openChannel } from "./channels/channel-kinds.ts";
import type { NoticeRow } from "../../../daemon/store/notify-schema.ts";
import type { NotifyParts } from "./notify.ts";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { LecternError } from "../../../core/errors.ts";

interface RuleForChannel {
  readonly channel: string;
  readonly rule: NotifyRule;
}

export class Channels {
  readonly #parts: NotifyParts;
  readonly #context: ChannelContext;
  readonly #open = new Map<string, Channel>();

  constructor(parts: NotifyParts) {
    this.#parts = parts;
    const { paths, settings, terminals } = parts;
    this.#context = {
      homeDirectory: paths.dataDirectory,
      secret: (given: SecretText) => readSecret(given, paths.dataDirectory),
      privateTargets: () => settings().notify.privateTargets,
      showInTerminals: (notice) => terminals.show(notice),
    };
  }

  /** All that there are now, without those of sessions. */
  async all(): Promise<Channel[]> {
    const configured = Object.keys(this.#parts.settings().notify.channels).map(async (name) => await this.named(name));
    const found = (await Promise.all(configured)).filter((channel) => channel !== undefined);
    return [...found, ...Object.values(this.#parts.sources).flatMap((source) => source.channels())];
  }

  async named(name: string): Promise<Channel | undefined> {
    const [source = ""] = name.split("/", 1);
    if (Object.hasOwn(this.#parts.sources, source))
      return this.#parts.sources[source]?.channels().find((channel) => channel.name === name);
    const { channels } = this.#parts.settings().notify;
    const settings = Object.hasOwn(channels, name) ? channels[name] : undefined;
    if (settings === undefined) return undefined;
    const open = this.#open.get(name) ?? openChannel(name, settings, this.#context);
    this.#open.set(name, open);
    return open;
  }

  /** The channel of a row, which may be the command of its session. */
  async of({ channel, session }: NoticeRow): Promise<Channel | undefined> {
    if (channel !== OWN_CHANNEL || session === null) return await this.named(channel);
    const { options, workingDirectory = "/" } = this.#parts.registry.get(session)?.stored ?? {};
    if (options?.onBlocked === undefined) return undefined;
    const settings = {
      kind: "command",
      command: options.onBlocked,
      timeoutMs: COMMAND_MS_DEFAULT,
      answers: false,
      workingDirectory,
    } as const;
    return openChannel(channel, settings, this.#context);
  }

  /** A rule that names a source reports to each of its targets. */
  expand(rules: readonly RuleForChannel[]): readonly RuleForChannel[] {
    return rules.flatMap(({ channel, rule }) => {
      if (!Object.hasOwn(this.#parts.sources, channel)) return [{ channel, rule }];
      return (this.#parts.sources[channel]?.channels() ?? []).map(({ name }) => ({ channel: name, rule }));
    });
  }

  /** The target of a channel does not exist any more. */
  async forget(name: string, reason: string): Promise<void> {
    const [source = ""] = name.split("/", 1);
    if (Object.hasOwn(this.#parts.sources, source)) await this.#parts.sources[source]?.forget(name, reason);
  }

  /** They are opened again, by other settings. */
  clear(): void {
    this.#open.clear();
  }
}

/** Read when it is used, so that a new one counts at once. A relative path is in the data directory. Throws `NOT_AVAILABLE`. */
function readSecret(given: SecretText, dataDirectory: string): string {
  if (typeof given === "string") return given;
  if ("env" in given) {
    const value = process.env[given.env] ?? "";
    if (value !== "") return value;
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot read the secret: the daemon has no variable "${given.env}"; set it where the daemon starts, or use a file`,
    );
  }
  const path = given.file.startsWith("~/") ? join(homedir(), given.file.slice(2)) : resolve(dataDirectory, given.file);
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text !== "") return text;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new LecternError("NOT_AVAILABLE", `Cannot read the secret in "${path}": ${code ?? "unknown error"}`, {
      cause,
    });
  }
  throw new LecternError("NOT_AVAILABLE", `Cannot read the secret in "${path}": the file is empty`);
}
