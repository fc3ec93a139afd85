/** Defaults of `lectern run`. An option of the command wins. */
import { detachKeysWanted, readDetachKeys } from "../../typing/detach-keys.ts";
import { configKey, flag, size } from "../config-key.ts";

const LABELS_MAX = 32;

export const run = {
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
