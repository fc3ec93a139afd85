/**
 * The sections of `lectern.yaml`, in the order of the documents.
 *
 * To add a section:
 * 1. its keys, made with `config-key.ts`, in the folder of its feature or here; a section that is a list, or a map of the user's own names, is one
 *    `configKey`;
 * 2. a line in `configSections`; then `npm run docs:config`, which writes the schema for editors and the tables of docs/configuration.md.
 *
 * The daemon reads it with `daemon.config.get("NAME")`, and follows it with `daemon.config.onChange("NAME", listener)`.
 */
import { detachKeysWanted, readDetachKeys } from "../typing/detach-keys.ts";
import { choice, configKey, duration, flag, size, texts, wholeNumber } from "./config-key.ts";
import type { SectionValue } from "./config-section.ts";
import { hooks } from "../../features/notify/core/hooks-section.ts";
import { listen } from "./listen-section.ts";
import { notifySection } from "../../features/notify/core/notify-section.ts";
import { otlp } from "../../features/otlp/core/otlp-section.ts";
import { worktree } from "../../features/tasks/core/worktree-section.ts";

const log = {
  summary: "The log of the daemon, `daemon.log` in the data directory.",
  keys: {
    level: choice(["fatal", "error", "warn", "info", "debug", "trace"], {
      default: "warn",
      environment: "LECTERN_LOG_LEVEL",
      summary: "Lines of this level and above are written; `debug` has one for each request.",
    }),
  },
};

const agents = {
  summary: "Users' own agent files.",
  keys: {
    folders: texts({
      type: "list of directories",
      needsRestart: true,
      summary:
        "Agent files are also read from here; `~/` is your home directory, other relative paths are in the data directory.",
    }),
  },
};

const LABELS_MAX = 32;

const run = {
  summary: "Defaults of `lectern run`; an option of the command wins.",
  keys: {
    labels: configKey<Readonly<Record<string, string>>>({
      type: "map of texts",
      default: {},
      schema: {
        type: "object",
        maxProperties: LABELS_MAX,
        propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" },
        additionalProperties: { type: "string", maxLength: 256 },
      },
      project: "sets",
      summary: "Labels of each session, beside those of `--label`.",
    }),
    summaries: flag({
      default: false,
      project: "sets",
      summary: "Add an event with a digest at the end of each turn and at the exit, as `--summaries` does.",
    }),
    retainBytes: size({
      default: undefined,
      minimum: "1M",
      summary: "Drop the oldest output of a session beyond this, as `--retain-bytes` does; at least `1M`.",
    }),
    detachKeys: configKey<string | undefined>({
      type: "keys",
      default: undefined,
      schema: { type: "string", minLength: 1, maxLength: 256 },
      problems: (data) =>
        readDetachKeys(String(data)) === undefined
          ? [{ path: [], message: `is ${JSON.stringify(data)}, wanted ${detachKeysWanted}` }]
          : [],
      summary: "The keys that detach, as `--detach-keys` has them.",
    }),
  },
};

const gateway = {
  summary: "Limits of the gateway for the requests to each model server, see [gateway](gateway.md).",
  keys: {
    connections: wholeNumber({
      default: 512,
      minimum: 1,
      maximum: 65_536,
      needsRestart: true,
      summary: "Requests to one model server at a time, of all sessions; over HTTP/1.1 each has a connection.",
    }),
    queue: wholeNumber({
      default: 1024,
      minimum: 0,
      maximum: 65_536,
      needsRestart: true,
      summary: "Requests that wait for one of them; more are refused with `upstream_busy`.",
    }),
    queueTime: duration({
      default: "1m",
      minimum: "1s",
      needsRestart: true,
      summary: "How long each of them waits; then it is refused with `upstream_busy`.",
    }),
    idle: duration({
      default: "5m",
      minimum: "1s",
      needsRestart: true,
      summary:
        "Silence of a model server after which its answer is broken off with `upstream_idle`; pings do not count.",
    }),
  },
};

const transcripts = {
  summary: "What agents write about their own conversations.",
  keys: {
    follow: flag({
      default: true,
      summary:
        "Read the record of the agent in each session, and keep it in the journal; `false`: messages are read from the screen only.",
    }),
  },
};

export const configSections = {
  listen,
  log,
  agents,
  run,
  worktree,
  notify: notifySection,
  hooks,
  gateway,
  otlp,
  transcripts,
};

export type SectionName = keyof typeof configSections;

/** The value of a section, with the defaults of the keys that no file has. */
export type ValueOf<Name extends SectionName> = SectionValue<(typeof configSections)[Name]>;
