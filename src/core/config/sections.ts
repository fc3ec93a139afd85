/**
 * The sections of `lectern.yaml`, in the order of the documents.
 *
 * To add a section:
 * 1. a file in `sections/` with its keys, made with `config-key.ts`; a section that is a list, or a map of the user's own names, is one `configKey`;
 * 2. a line here; then `npm run docs:config`, which writes the schema for editors and the tables of docs/configuration.md.
 *
 * The daemon reads it with `daemon.config.get("NAME")`, and follows it with `daemon.config.onChange("NAME", listener)`.
 */
import type { SectionValue } from "./config-section.ts";
import { agents } from "./sections/agents.ts";
import { gateway } from "./sections/gateway.ts";
import { hooks } from "../../features/notify/core/hooks-section.ts";
import { listen } from "./sections/listen.ts";
import { log } from "./sections/log.ts";
import { notifySection } from "../../features/notify/core/notify-section.ts";
import { otlp } from "../../features/otlp/core/otlp-section.ts";
import { run } from "./sections/run.ts";
import { transcripts } from "./sections/transcripts.ts";

export const configSections = {
  listen,
  log,
  agents,
  run,
  notify: notifySection,
  hooks,
  gateway,
  otlp,
  transcripts,
};

export type SectionName = keyof typeof configSections;

/** The value of a section, with the defaults of the keys that no file has. */
export type ValueOf<Name extends SectionName> = SectionValue<(typeof configSections)[Name]>;
