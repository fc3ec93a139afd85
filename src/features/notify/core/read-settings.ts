/** `notify` and `hooks` of a `lectern.yaml`: the forms of their items, and the settings that they are. */
import { compileGlob } from "../../../core/gate/globs.ts";
import type { SchemaObject } from "../../../core/json-schema/schema-run.ts";
import {
  form,
  mapForm,
  wordForm,
  type DataOf,
  type DataProblem,
  type Form,
} from "../../../core/json-schema/typed-form.ts";
import { didYouMean } from "../../../core/text/nearest.ts";
import { parseDuration } from "../../../core/text/quantities.ts";
import { NOTICE_CONTENTS, NOTICE_KINDS } from "./notice.ts";
import { readPrivateTarget, type PrivateTarget } from "./private-target.ts";
import type { NotifyRule, SessionFilter } from "./rules.ts";
import {
  COMMAND_MS_DEFAULT,
  HOOK_KINDS,
  OWN_CHANNEL,
  ruleDefaults,
  type ChannelSettings,
  type HookSettings,
  type SecretText,
} from "./settings.ts";

type Path = DataProblem["path"];

const text = form<string>({ type: "string", minLength: 1, maxLength: 4096 });
const words = form<readonly string[]>({ type: "array", minItems: 1, maxItems: 64, items: text });
const oneOrMore = form<string | readonly string[]>({
  type: ["string", "array"],
  minLength: 1,
  minItems: 1,
  maxItems: 64,
  items: text,
});
const flag = form<boolean>({ type: "boolean" });
const duration = form<string | number>({ type: ["string", "number"], description: "A time such as 20s, 5m or 2h." });
const secret = form<SecretText>({
  type: ["string", "object"],
  writeOnly: true,
  minLength: 1,
  maxLength: 4096,
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { file: text, env: text },
  description: "A text, {file: PATH} or {env: NAME}.",
});
const some = <Word extends string>(kinds: readonly Word[]): Form<readonly Word[]> =>
  form({ type: "array", minItems: 1, items: wordForm(kinds) });
const sessions = mapForm({
  name: oneOrMore,
  agent: oneOrMore,
  label: form<Readonly<Record<string, string>>>({ type: "object", maxProperties: 32, additionalProperties: text }),
});

const CHANNEL_KINDS = ["webhook", "ntfy", "slack", "discord", "desktop", "command"] as const;

const channelForm = mapForm(
  {
    kind: wordForm(CHANNEL_KINDS),
    url: secret,
    secret,
    token: secret,
    answers: flag,
    terminals: flag,
    command: words,
    timeout: duration,
  },
  "kind",
);
const ruleForm = mapForm(
  {
    on: some(NOTICE_KINDS),
    after: duration,
    sessions,
    content: wordForm(NOTICE_CONTENTS),
    presence: flag,
    to: words,
  },
  "to",
);
const hookForm = mapForm({ on: some(HOOK_KINDS), command: words, sessions, timeout: duration }, "on", "command");
type ChannelData = DataOf<typeof channelForm>;
type RuleData = DataOf<typeof ruleForm>;
type HookData = DataOf<typeof hookForm>;

export const channelsSchema: SchemaObject = {
  type: "object",
  maxProperties: 64,
  propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" },
  additionalProperties: channelForm,
};
export const rulesSchema: SchemaObject = { type: "array", maxItems: 64, items: ruleForm };
export const hooksSchema: SchemaObject = { type: "array", maxItems: 32, items: hookForm };

/** What each kind has besides its kind, with the defaults of its settings; the keys with `!` must be there. */
const keysOfKind: Readonly<Record<ChannelData["kind"], { readonly keys: string; readonly defaults: object }>> = {
  webhook: { keys: "url! secret answers", defaults: { answers: false } },
  ntfy: { keys: "url! token answers", defaults: { answers: true } },
  slack: { keys: "url!", defaults: {} },
  discord: { keys: "url!", defaults: {} },
  desktop: { keys: "terminals", defaults: { terminals: true } },
  command: { keys: "command! timeout answers", defaults: { answers: false, timeoutMs: COMMAND_MS_DEFAULT } },
};

/** The channels of data that fits `channelsSchema` and has no problems, which leaves each kind its own keys. */
export function readChannels(data: unknown): Readonly<Record<string, ChannelSettings>> {
  const entries = Object.entries(data as Readonly<Record<string, ChannelData>>);
  return Object.fromEntries(
    entries.map(([name, { timeout, ...channel }]) => {
      const time = timeout === undefined ? {} : { timeoutMs: timeOf(timeout, COMMAND_MS_DEFAULT) };
      return [name, { ...keysOfKind[channel.kind].defaults, ...channel, ...time } as ChannelSettings];
    }),
  );
}

export function channelProblems(data: unknown): readonly DataProblem[] {
  return Object.entries(data as Readonly<Record<string, ChannelData>>).flatMap(([name, channel]) => {
    const { kind, timeout, url } = channel;
    const keys = keysOfKind[kind].keys.split(" ");
    const known = keys.map((key) => key.replace("!", ""));
    const given = Object.keys(channel).filter((key) => key !== "kind");
    const hasSecretUrl = kind === "slack" || kind === "discord";
    return [
      ...(name === OWN_CHANNEL || name === "push"
        ? [{ path: [name], message: `is a name of Lectern's own, choose another` }]
        : []),
      ...given
        .filter((key) => !known.includes(key))
        .map((key) => ({ path: [name, key], message: `is not a key of kind ${kind}, which has ${known.join(", ")}` })),
      ...keys
        .filter((key) => key.endsWith("!") && !given.includes(key.slice(0, -1)))
        .map((key) => ({ path: [name], message: `is missing "${key.slice(0, -1)}", which kind ${kind} needs` })),
      ...(typeof url === "string" ? urlProblems(url, { path: [name, "url"] }) : []),
      ...(typeof url === "object" && !hasSecretUrl
        ? [{ path: [name, "url"], message: `is not a text; only slack and discord have a secret address` }]
        : []),
      ...timeProblems(timeout, [name, "timeout"]),
    ];
  });
}

/** The rules of data that fits `rulesSchema` and has no problems. */
export function readNotifyRules(data: unknown): readonly NotifyRule[] {
  return (data as readonly RuleData[]).map(({ after, content, on, presence, sessions: filter, to }) => ({
    on: on ?? ruleDefaults.on,
    afterMs: timeOf(after, ruleDefaults.afterMs),
    sessions: filterOf(filter),
    content: content ?? ruleDefaults.content,
    presence: presence ?? ruleDefaults.presence,
    to,
  }));
}

export const ruleProblems = (data: unknown): readonly DataProblem[] =>
  (data as readonly RuleData[]).flatMap(({ after, sessions: filter }, index) => [
    ...timeProblems(after, [index, "after"]),
    ...filterProblems(filter, [index, "sessions"]),
  ]);

/** The hooks of data that fits `hooksSchema` and has no problems. */
export function readHooks(data: unknown): readonly HookSettings[] {
  return (data as readonly HookData[]).map(({ command, on, sessions: filter, timeout }) => ({
    on,
    command,
    timeoutMs: timeOf(timeout, COMMAND_MS_DEFAULT),
    sessions: filterOf(filter),
  }));
}

export const hookProblems = (data: unknown): readonly DataProblem[] =>
  (data as readonly HookData[]).flatMap(({ sessions: filter, timeout }, index) => [
    ...timeProblems(timeout, [index, "timeout"]),
    ...filterProblems(filter, [index, "sessions"]),
  ]);

/** Of an address that a browser or a request uses. */
export function urlProblems(
  url: string,
  { path = [], like = "https://ntfy.sh/my-topic" }: { readonly path?: Path; readonly like?: string } = {},
): readonly DataProblem[] {
  return /^https?:\/\/[^\s/@]+(?:\/\S*)?$/i.test(url)
    ? []
    : [{ path, message: `is ${JSON.stringify(url)}, wanted an address such as ${like}` }];
}

/** Channels of rules that `channels` beside them does not have. `push` and `push/ID` are devices. */
export function unknownChannels({ channels, rules }: Readonly<Record<string, unknown>>): readonly DataProblem[] {
  const known = Object.keys(channels ?? {});
  return ((rules ?? []) as readonly RuleData[]).flatMap(({ to }, rule) =>
    to.flatMap((name, index) => {
      if (known.includes(name) || /^push(?:\/|$)/.test(name)) return [];
      const hint = didYouMean(name, [...known, "push"]) ?? "add it to notify.channels";
      return [{ path: ["rules", rule, "to", index], message: `is "${name}", which is not a channel: ${hint}` }];
    }),
  );
}

/** The private targets of a list of texts that has no problems. */
export const readPrivateTargets = (data: unknown): readonly PrivateTarget[] =>
  (data as readonly string[]).flatMap((entry) => readPrivateTarget(entry) ?? []);

export const privateTargetProblems = (data: unknown): readonly DataProblem[] =>
  (data as readonly string[]).flatMap((entry, index) => {
    if (readPrivateTarget(entry) !== undefined) return [];
    const wanted = "wanted a host, an address or a network such as ntfy.lan, 127.0.0.1:8080 or 10.0.0.0/8";
    return [{ path: [index], message: `is ${JSON.stringify(entry)}, ${wanted}` }];
  });

const filterOf = ({ agent, label = {}, name }: DataOf<typeof sessions> = {}): SessionFilter => ({
  names: listOf(name),
  agents: listOf(agent),
  labels: label,
});

function filterProblems({ label = {}, name }: DataOf<typeof sessions> = {}, path: Path): readonly DataProblem[] {
  const globs = [...listOf(name).map((glob) => ["name", glob]), ...Object.entries(label)];
  return globs.flatMap(([key = "", glob = ""]) => {
    const compiled = compileGlob(glob);
    return compiled.ok
      ? []
      : [{ path: key === "name" ? [...path, key] : [...path, "label", key], message: compiled.message }];
  });
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;

const timeOf = (value: string | number | undefined, otherwiseMs: number): number =>
  value === undefined ? otherwiseMs : (parseDuration(String(value)) ?? otherwiseMs);

const timeProblems = (value: string | number | undefined, path: Path): readonly DataProblem[] =>
  value === undefined || parseDuration(String(value)) !== undefined
    ? []
    : [{ path, message: `is ${JSON.stringify(value)}, wanted a time such as 20s, 5m or 2h` }];
