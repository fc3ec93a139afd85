/** How a session was started, so that it can be started again: `start.json` beside its journal. Environments are never written down. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { sessionOptionsSchema } from "../../protocol/session-options.ts";
import type { SessionStart } from "../callers/child-sessions.ts";

const START_FILE = "start.json";

const startSchema = z.object({
  version: z.literal(1),
  command: z.tuple([z.string()], z.string()),
  mode: z.enum(["interactive", "exec"]),
  mine: z.boolean(),
  trustText: z.boolean(),
  summaries: z.boolean(),
  shellIntegration: z.boolean(),
  agent: z.string().optional(),
  parent: z.string().optional(),
  retainBytesMax: z.int().optional(),
  eventTag: sessionOptionsSchema.shape.eventTag,
  eventSchemas: z.record(z.string(), z.unknown()).optional(),
  sandbox: sessionOptionsSchema.shape.sandbox,
  /** As the daemon was asked; what it made of that is in `wire.json`. */
  wire: sessionOptionsSchema.shape.wire,
});
export type StoredStart = z.output<typeof startSchema>;

/** For the user only: the addresses of model servers may have a password. */
export async function keepStart(directory: string, start: SessionStart): Promise<void> {
  const { command, mode, mine, trustText, summaries, shellIntegration, agent, parent, retainBytesMax } = start;
  const { eventSchemas, eventTag, sandbox, wire } = start;
  const kept = {
    version: 1,
    command,
    mode,
    mine,
    trustText,
    summaries,
    shellIntegration,
    agent,
    parent,
    retainBytesMax,
  };
  const text = JSON.stringify({ ...kept, eventSchemas, eventTag, sandbox, wire });
  await writeFile(join(directory, START_FILE), text, { mode: 0o600 });
}

/** Undefined for a session of an earlier Lectern, and if the file cannot be read. */
export async function readStart(directory: string): Promise<StoredStart | undefined> {
  try {
    return startSchema.safeParse(JSON.parse(await readFile(join(directory, START_FILE), "utf8"))).data;
  } catch {
    return undefined;
  }
}
