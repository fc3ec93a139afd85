/** A tool as MCP hosts see it: a projection of operations, with a schema for what goes in and a short answer. */
import * as z from "zod";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import type { Caller } from "../../daemon/service.ts";
import type { InputOf, JsonOperation, OperationOfTool, OutputOf } from "../../protocol/operations.ts";
import { machineNameSchema } from "../../protocol/machines.ts";
import type { Session } from "../../protocol/session.ts";

/** One call of a tool: who makes it, and the operations that it may call. They check the scope and the session themselves. */
export interface McpCalls<Allowed extends JsonOperation = JsonOperation> {
  readonly caller: Caller;
  /** Directory and environment that new programs get where the tool is not told; undefined: the daemon's. */
  readonly startIn: StartIn | undefined;
  /** A `session` such as `box/work` is on another machine. */
  call<Name extends Allowed>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  /** The calls on another machine; `signal` ends them. Undefined where none is reached. */
  readonly on?: ((machine: string, signal?: AbortSignal) => McpCalls<Allowed>) | undefined;
}

/** The calls on a machine that the caller has named; undefined is this one. */
export function callsOn<Allowed extends JsonOperation>(
  calls: McpCalls<Allowed>,
  machine: string | undefined,
  signal?: AbortSignal,
): McpCalls<Allowed> {
  if (machine === undefined) return calls;
  if (calls.on !== undefined) return calls.on(machine, signal);
  throw new LecternError("NOT_AVAILABLE", `Cannot use machine "${machine}" here: this server reaches no other machine`);
}

interface StartIn {
  readonly workingDirectory: string;
  /** Default: that of the daemon. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a tool answers; null and undefined say nothing and are not shown. */
type AnswerValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;
export type ToolAnswer = Readonly<Record<string, AnswerValue>>;

export interface McpTool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, what comes back, what to do next. */
  readonly description: string;
  /** Not offered to a token that is good for one session only. */
  readonly needsAllSessions: boolean;
  /** It ends a program, or answers for a person. */
  readonly isDestructive: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  run(input: unknown, calls: McpCalls): Promise<ToolAnswer>;
}

interface ToolDefinition<Name extends string, Input extends z.ZodObject, Output extends z.ZodObject> {
  /** As in the `mcp` column of the operation table. */
  readonly name: Name;
  readonly title: string;
  readonly description: readonly string[];
  readonly needsAllSessions?: boolean;
  readonly isDestructive?: boolean;
  readonly input: Input;
  readonly output: Output;
  run(input: z.output<Input>, calls: McpCalls<OperationOfTool<Name>>): Promise<z.input<Output>>;
}

/** The compiler checks that a tool calls only operations whose rows name it. Of its answer, the fields of the output schema are shown, in their order. */
export const defineTool = <const Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Name, Input, Output>,
): McpTool => ({
  needsAllSessions: false,
  isDestructive: false,
  ...definition,
  description: definition.description.join(" "),
  run: async (input, calls) => {
    // What comes in was checked by the schema of the same record.
    const found = (await definition.run(input as z.output<Input>, calls)) as ToolAnswer;
    return Object.fromEntries(Object.keys(definition.output.shape).map((name) => [name, found[name]]));
  },
});

const WAIT_MS_MAX = 600_000;

/** Machine and slash, then an id or a name. */
const ADDRESS = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,31}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const sessionField = z
  .string()
  .regex(ADDRESS, "letters, digits, dot, underscore and dash; on another machine with its name and a slash in front")
  .describe(
    "Id or name of a session, as `open` and `list` give it; on another machine with its name in front: box/work",
  );
export const machineField = machineNameSchema
  .optional()
  .describe("Another machine, as `machines` lists it. Default: this one");
export const timeoutField = z
  .int()
  .min(0)
  .max(WAIT_MS_MAX)
  .default(waits.longPollMs)
  .describe("How long to wait, in milliseconds. Stay below 55000 unless your host allows longer calls");
export const offsetField = z.int().nonnegative();

export const rawField = z.boolean().default(false).describe("Include the tags of events that the output has");

/** What is in each answer about a session. */
export const hintField = z.string().describe("What to do next");

/** How the program of a session ended; null while it runs. */
export function exitOf({ exit }: Session): string | null {
  if (exit === null) return null;
  if (exit.reason === "exited") return `code ${exit.code}`;
  return exit.reason === "signaled" ? `signal ${exit.signal}` : "lost: its end was not observed";
}

/** As text: short facts first, one on a line, then the long text as it is. */
export function answerText(answer: ToolAnswer): string {
  const facts: string[] = [];
  const texts: string[] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (value === null || value === undefined || value === "") continue;
    if (typeof value === "string" && (name === "output" || name === "screen")) texts.push(`${name}:\n${value}`);
    else facts.push(`${name}: ${factText(value)}`);
  }
  return [...facts, ...texts].join("\n");
}

function factText(value: NonNullable<AnswerValue>): string {
  if (!Array.isArray(value)) return typeof value === "object" ? JSON.stringify(value) : String(value);
  if (value.length === 0) return "none";
  return value.map((item) => `\n- ${typeof item === "string" ? item : JSON.stringify(item)}`).join("");
}
