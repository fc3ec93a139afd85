/**
 * The options of a session: one record, which `lectern run`, the API, the page, MCP, resume and child sessions create, and which is stored,
 * shown and resumed whole. A new option is a line here, a flag in `cli/session-flags.ts`, and the code that uses it.
 */
import * as z from "zod";
import { TAG_NAME } from "../core/events/tag-scanner.ts";
import { defaultEventTag, type EventTag } from "./event-tag.ts";
import { branchSchema, eventNameSchema, labelsSchema, nameSchema, policyTextSchema, sideSchema } from "./names.ts";

/** The tag of the events in the output of a session, `<NAME name="...">{...}</NAME>`, and its limits. */
export const eventTagSchema = z.strictObject({
  name: z.string().regex(TAG_NAME, "a name such as FORGE_EVENT").default(defaultEventTag.name),
  /** A larger tag is abandoned: it is reported, and its text stays. */
  bytesMax: z.int().min(256).max(1_048_576).default(defaultEventTag.bytesMax),
  /** A tag whose end comes later is abandoned. */
  msMax: z.int().min(10).max(3_600_000).default(defaultEventTag.msMax),
}) satisfies z.ZodType<EventTag>;

const upstream = z.string().max(2048).optional();

/** The settings of a session whose agent uses the gateway. */
export const wireInputSchema = z.strictObject({
  /** The text of a policy file; default: every call is allowed and audited. */
  policy: policyTextSchema.optional(),
  /** Base URLs of the upstream servers, by route. */
  upstreams: z
    .strictObject({ anthropic: upstream, openai: upstream, gemini: upstream, "code-assist": upstream })
    .optional(),
  /** How long a question waits for an answer before it is denied. */
  approvalMs: z.int().min(1000).max(86_400_000).default(600_000),
  /** The agent's own question about a call that a person has allowed is answered from that. */
  askOnce: z.boolean().default(true),
  /** End the session if its agent shows a turn without a request at the gateway. Only for agents whose screen is known; `if-known` ignores others. */
  mustGate: z.union([z.boolean(), z.literal("if-known")]).default(false),
  /** The meaning of `~` in the policy; null for none. Default: `HOME` of the environment. */
  home: z.string().max(4096).nullable().optional(),
});
export type WireInput = Readonly<z.output<typeof wireInputSchema>>;

/** The sandbox that a session is started in. */
const sandboxInputSchema = z.strictObject({
  /** A built-in profile: `look`, `work` or `offline`. Default: that of `settings` or of the policy, else "work". */
  profile: z.string().max(64).optional(),
  /** The text of a YAML file with `profile`, `write`, `hide`, `readOnly` and `network`. Default: the `sandbox` of the policy. */
  settings: z.string().max(65_536).optional(),
  /** Starts without a sandbox where there is none; the session then shows it. Default: such a start is refused. */
  optional: z.boolean().default(false),
});
export type SandboxInput = Readonly<z.output<typeof sandboxInputSchema>>;

const worktreeInputSchema = z.strictObject({
  /** The new branch, if no other is named. Its directory has the same name, with a dash for each slash. */
  name: branchSchema,
  /** The branch, which may exist: then the worktree starts at its last commit. */
  branch: branchSchema.optional(),
  /** The commit, branch or tag from which it starts. Default: the commit that is checked out. */
  base: z
    .string()
    .regex(/^[^-\s]\S*$/, "a commit, branch or tag")
    .max(256)
    .optional(),
  /** What several sessions with the same prompt have in common. */
  group: branchSchema.optional(),
});

/** Names and values of variables. A program would read `A=B` with the value `C` as `A` with the value `B=C`. */
export const environmentSchema = z.record(
  z
    .string()
    .max(1024)
    .regex(/^[^=\0]*$/, 'a name of a variable, without "="'),
  z.string().max(131_072),
);

export const sessionOptionsSchema = z.strictObject({
  command: z
    .tuple([z.string().min(1).max(4096)], z.string().max(131_072))
    .refine((words) => words.length <= 4096, "at most 4,096 words"),
  name: nameSchema.optional(),
  labels: labelsSchema.default({}),
  /** `~` and `~/...` are in the home directory of the daemon's user; default: where the daemon was started. */
  workingDirectory: z.string().max(4096).optional(),
  /** The complete environment to start from; default: that of the daemon. Never recorded. */
  environment: environmentSchema.optional(),
  columns: sideSchema.default(120),
  rows: sideSchema.default(40),
  /** `acp`: a program that speaks the Agent Client Protocol, on pipes instead of a terminal. See docs/acp.md. */
  mode: z.enum(["interactive", "exec", "acp"]).default("interactive"),
  /** The agent sends its model requests through the gateway. */
  wire: wireInputSchema.optional(),
  /** Walls around the program: what it may write, see and reach. A policy with a `sandbox` block has them in any case. */
  sandbox: sandboxInputSchema.optional(),
  /** A person's own workplace: programs in it act as that person. Only from outside, without `wire`, and not for an agent. */
  mine: z.boolean().default(false),
  /** The oldest output is removed when the journal is larger than this, in steps of a quarter of it, at most 64 MiB. Default 1 GiB. */
  retainBytesMax: z.int().min(1_048_576).optional(),
  /** A git worktree with a branch of its own, in which the session starts. The repository is that of `workingDirectory`. */
  worktree: worktreeInputSchema.optional(),
  /** Typed once, when the program is at its prompt and asks nothing: its receipt has the key `first`. Only the receipt is kept. */
  prompt: z.string().min(1).max(262_144).optional(),
  /** JSON Schemas by event name: an event that does not match is kept as invalid, with the error. */
  eventSchemas: z
    .record(eventNameSchema, z.unknown())
    .refine((schemas) => Object.keys(schemas).length <= 64, "at most 64 schemas")
    .optional(),
  /** You trust everything that the program prints: plain tags in its output have the trust `text`, else `unverified`. */
  trustText: z.boolean().default(false),
  /** The tag of the events in its output. */
  eventTag: eventTagSchema.optional(),
  /** Adds an event `TURN_SUMMARY` at the end of each turn and `SESSION_SUMMARY` at the exit; the payload is a digest. */
  summaries: z.boolean().default(false),
  /** A command (program and arguments) that runs outside of the session for each question in it, with the question as JSON on its input. */
  onBlocked: z.array(z.string().min(1).max(4096)).min(1).max(64).optional(),
  /** The agent that the program is, if its command does not show it; `like:NAME` for a program that is read by the rules of NAME. */
  agent: z.string().max(64).optional(),
  /** Turns on marks of bash, zsh and fish, without changing files of the user. */
  shellIntegration: z.boolean().default(true),
});

/** Never stored, shown or resumed: an environment holds secrets, and the receipt of the first prompt is what is kept of it. */
const UNRECORDED = { environment: true, prompt: true } as const;

/** What is stored, shown and resumed. `command` is empty if damage has lost it. */
export const recordedOptionsSchema = sessionOptionsSchema.omit(UNRECORDED).extend({ command: z.array(z.string()) });
export type RecordedOptions = Readonly<z.output<typeof recordedOptionsSchema>>;

// Not inside of the function: a schema is compiled at its first use.
const withoutOthers = recordedOptionsSchema.strip();

/** What is recorded of the options that a session is created with. */
export const recordedOf = (options: z.output<typeof sessionOptionsSchema>): RecordedOptions =>
  withoutOthers.parse(options);

/** The options of a session that starts where another one was: the worktree of that one exists already. */
export const optionsAgain = ({ worktree: _, ...options }: RecordedOptions): Omit<RecordedOptions, "worktree"> =>
  options;

/** Without long texts, for lists and updates: the policy, the settings of the sandbox and the schemas of events. */
export function briefOptions({ eventSchemas: _, wire, sandbox, ...options }: RecordedOptions): RecordedOptions {
  return {
    ...options,
    ...(wire && { wire: { ...wire, policy: undefined } }),
    ...(sandbox && { sandbox: { ...sandbox, settings: undefined } }),
  };
}

export interface OptionsRead {
  readonly options: RecordedOptions;
  /** By name: those that a newer version has written, or that are damaged. */
  readonly unread: Readonly<Record<string, unknown>>;
}

/** Options as any version has written them. One that is missing or cannot be read has its default. */
export function readOptions(written: Readonly<Record<string, unknown>>): OptionsRead {
  const whole = recordedOptionsSchema.safeParse(written);
  if (whole.success) return { options: whole.data, unread: {} };
  const shape: Readonly<Record<string, z.ZodType>> = recordedOptionsSchema.shape;
  const isRead = ([name, value]: readonly [string, unknown]): boolean =>
    Object.hasOwn(shape, name) && shape[name]?.safeParse(value).success === true;
  const { read = [], unread = [] } = Object.groupBy(Object.entries(written), (entry) =>
    isRead(entry) ? "read" : "unread",
  );
  const options = recordedOptionsSchema.parse({ command: [], ...Object.fromEntries(read) });
  return { options, unread: Object.fromEntries(unread) };
}
