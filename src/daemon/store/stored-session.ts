/** A session as the registry and its `session.json` have it: the one reader and the one form in which it is written. */
import { join } from "node:path";
import * as z from "zod";
import { conversationSchema } from "../../protocol/conversation.ts";
import { nameSchema } from "../../protocol/names.ts";
import { readOptions, type RecordedOptions } from "../../protocol/session-options.ts";
import { sessionSandboxSchema, sessionSchema, sessionWorktreeSchema, stateSchema } from "../../protocol/session.ts";
import { earlierFields, earlierNames, optionsOfEarlier, writtenSandbox } from "./earlier-options.ts";
import { readJsonFile } from "../../host/json-file.ts";

/** Beside each journal, so that the registry can be rebuilt. */
export const META_FILE = "session.json";
/** Written by versions until November 2026. */
const START_FILE = "start.json";

/** `file`: where the agent keeps it; null if there was none when it was learned. */
const storedConversationSchema = conversationSchema.extend({ file: z.string().nullable() });

/** What is not an option. Older versions wrote fewer fields. */
const factsSchema = z.object({
  id: z.string(),
  name: nameSchema,
  state: stateSchema,
  command: z.array(z.string()).readonly(),
  agent: z.string().nullable().default(null),
  workingDirectory: z.string().default("/"),
  labels: z.record(z.string(), z.string()).readonly().default({}).catch({}),
  columns: z.int().default(80),
  rows: z.int().default(24),
  pid: z.int().nullable().default(null),
  /** File name of the socket of the host that runs it, null for an import. */
  host: z.string().nullable().default(null),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable().default(null),
  exit: sessionSchema.shape.exit.default(null).catch(null),
  end: z.int().nonnegative().default(0),
  // A value that cannot be read gives no rights, and does not affect the rest.
  /** Id of the session that it was started from. */
  parent: z.string().optional().catch(undefined),
  /** Absent for a session that was started without a sandbox. */
  sandbox: sessionSandboxSchema.optional().catch(undefined),
  /** Id of the session that it was resumed from. */
  continues: z.string().optional().catch(undefined),
  /** That of its agent, once it is known. */
  conversation: storedConversationSchema.optional().catch(undefined),
  worktree: sessionWorktreeSchema.optional().catch(undefined),
});

export interface StoredSession extends Readonly<z.output<typeof factsSchema>> {
  /** What it was started with. */
  readonly options: RecordedOptions;
  /** Options that this version cannot read, which are written back. Absent if it can read all of them. */
  readonly unreadOptions?: Fields;
}

/** A session of which nothing exists yet. */
export function freshSession(
  given: Pick<StoredSession, "id" | "name" | "command" | "workingDirectory"> & Partial<StoredSession>,
): StoredSession {
  const { options } = readOptions({ command: given.command });
  const facts = { state: "starting", createdAt: new Date().toISOString(), ...given };
  const { unreadOptions } = given;
  return {
    ...factsSchema.parse(facts),
    options: given.options ?? options,
    ...(unreadOptions !== undefined && { unreadOptions }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** In place of options that were in no file: a session is not started again without its walls. */
export const lostOptions = { options: null } as const;

/**
 * A session as any version has written it: `value` is its row in the registry or its `session.json`, `directory` has its files. Undefined if
 * it cannot be read. Options that cannot be read in the registry are taken from `session.json`.
 */
export function readStoredSession(value: unknown, directory: string): StoredSession | undefined {
  const facts = factsSchema.safeParse(value);
  if (!facts.success || !isRecord(value)) return undefined;
  const written = isRecord(value["options"]) ? value["options"] : readFields(directory, META_FILE)?.["options"];
  const start = isRecord(written) ? undefined : readFields(directory, START_FILE);
  const { options, unread } = readOptions(
    isRecord(written) ? written : { ...optionsOfEarlier(value, start), ...(start === undefined && lostOptions) },
  );
  const stored = { ...facts.data, options };
  return Object.keys(unread).length === 0 ? stored : { ...stored, unreadOptions: unread };
}

/** What `session.json` in `directory` has under keys that this version does not know: a newer one wrote them. */
export function unknownFields(directory: string): readonly (readonly [name: string, value: unknown])[] {
  const known = new Set([...Object.keys(factsSchema.shape), "options", ...Object.keys(earlierNames)]);
  return Object.entries(readFields(directory, META_FILE) ?? {}).filter(([name]) => !known.has(name));
}

/** The text of `session.json`; `directory` may have one, whose unknown fields are kept. */
export function writtenSession(stored: StoredSession, directory: string): string {
  const { unreadOptions, options, ...facts } = stored;
  return JSON.stringify({
    ...Object.fromEntries(unknownFields(directory)),
    ...facts,
    sandbox: writtenSandbox(facts.sandbox),
    ...earlierFields(options),
    options: { ...options, ...unreadOptions },
  });
}

/** The options under the current name, labels, size and directory of the session. */
export function currentOptions({ options, ...facts }: StoredSession): RecordedOptions {
  const { name, labels, workingDirectory, columns, rows } = facts;
  return { ...options, name, labels: { ...labels }, workingDirectory, columns, rows, command: [...facts.command] };
}

/** What to do about options that cannot be read; null if all can be. */
export function unreadText({ unreadOptions = {} }: StoredSession): string | null {
  const names = Object.keys(unreadOptions).map((name) => JSON.stringify(name));
  if (names.length === 0) return null;
  if (Object.hasOwn(unreadOptions, "options"))
    return 'what it was started with is lost, such as its sandbox: start its command with "lectern run"';
  return `its options ${names.join(", ")} were written by a newer Lectern or are damaged: they are kept, and a version that can read them resumes it`;
}

/** Undefined if the file is missing or damaged. */
function readFields(directory: string, file: string): Fields | undefined {
  const read = readJsonFile(join(directory, file));
  return isRecord(read) ? read : undefined;
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
