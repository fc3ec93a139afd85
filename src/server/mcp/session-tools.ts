import * as z from "zod";
import { LecternError } from "../../core/errors.ts";
import { machineSchema } from "../../protocol/machines.ts";
import { joinAddress, splitAddress } from "../../protocol/session-address.ts";
import { sideSchema } from "../../protocol/names.ts";
import { sessionOptionsSchema } from "../../protocol/session-options.ts";
import { stateSchema, type Session } from "../../protocol/session.ts";
import { listMachines } from "./list-machines.ts";
import { callsOn, defineTool, exitOf, hintField, machineField, offsetField, sessionField } from "./tool.ts";

const OPEN_OUTPUT_BYTES_MAX = 4096;
const LISTED_MAX = 50;

export const open = defineTool({
  name: "open",
  title: "Open a session",
  description: [
    "Starts a program in a real terminal and keeps it running until it ends or you `close` it: a shell, a REPL, a debugger, a build, another agent.",
    'Use ["bash"] and then `run` for shell commands; the session keeps its directory and variables between commands.',
    "Returns when the program waits for input, or after `timeoutMs` with the output so far.",
    "Reuse a session instead of opening one for each command.",
  ],
  needsAllSessions: true,
  input: sessionOptionsSchema
    .pick({ name: true, workingDirectory: true, summaries: true, columns: true, rows: true })
    .extend({
      // Some hosts cannot read the schema of a tuple.
      command: z
        .array(z.string().max(131_072))
        .min(1)
        .max(256)
        .describe('Program and its arguments, each a word of its own: ["python3", "-q"]. No shell reads it'),
      machine: machineField,
      columns: sideSchema.default(120),
      rows: sideSchema.default(30),
      summaries: sessionOptionsSchema.shape.summaries.describe(
        "For an agent: events TURN_SUMMARY and SESSION_SUMMARY, for which you can `wait`",
      ),
      timeoutMs: z.int().min(0).max(60_000).default(10_000).describe("How long to wait until it is ready for input"),
    }),
  output: z.strictObject({
    session: z.string(),
    name: z.string(),
    state: stateSchema,
    ready: z.boolean().describe("The program waits for input"),
    asks: z.string().nullable().describe("What it waits for: command, more, line, password, keys"),
    exit: z.string().nullable(),
    output: z.string(),
    next: offsetField.describe("Offset to continue with `read`"),
    hint: hintField,
  }),
  run: async ({ command: [program = "", ...words], timeoutMs, machine, ...options }, calls) => {
    const there = callsOn(calls, machine);
    const { id, start } = await there.call("sessions.create", {
      ...there.startIn,
      command: [program, ...words],
      ...options,
    });
    const { ready, session } = await there.call("sessions.wait", { session: id, for: { type: "ready" }, timeoutMs });
    const page = await there.call("sessions.logs", { session: id, from: start, bytesMax: OPEN_OUTPUT_BYTES_MAX });
    return {
      session: joinAddress({ machine, session: id }),
      name: joinAddress({ machine, session: session.name }),
      state: session.state,
      ready: ready !== null,
      asks: ready?.asks ?? null,
      exit: exitOf(session),
      output: page.text,
      next: page.next,
      hint: openHint(session, ready?.asks, ready !== null),
    };
  },
});

function openHint({ exit }: Session, asks: string | null | undefined, isReady: boolean): string {
  if (exit !== null) return "The program has ended: look at its output, then `open` another one";
  if (asks === "password") return "It asks for a password: ask your user, then `send` it with secret: true";
  if (isReady) return "`run` commands at its prompt, or `send` text and keys";
  return "It is not known to wait for input yet: `wait` with for: ready, or look at its `screen`";
}

export const list = defineTool({
  name: "list",
  title: "List sessions",
  description: [
    "Lists sessions with their status, newest first: use it to find a running one.",
    `At most ${LISTED_MAX}.`,
  ],
  input: z.strictObject({
    state: stateSchema.optional().describe("Only sessions in this state; `running` excludes ended ones"),
    limit: z.int().min(1).max(LISTED_MAX).default(20),
    machines: z.boolean().default(false).describe("Also the sessions of other machines, with the states of these"),
  }),
  output: z.strictObject({
    sessions: z.array(
      z.strictObject({
        session: z.string(),
        name: z.string(),
        state: stateSchema,
        status: z.string().nullable(),
        command: z.string(),
        exit: z.string().nullable(),
        end: offsetField,
      }),
    ),
    omitted: z.int().describe("How many more there are"),
    machines: z
      .array(machineSchema.pick({ name: true, state: true, reason: true }))
      .optional()
      .describe("Other machines; the sessions of those that are `away` are not listed"),
  }),
  run: async ({ state, limit, machines }, calls) => {
    const only = calls.caller.session;
    // A token for one session may not list: it is told of that one.
    const all =
      only === null
        ? (await calls.call("sessions.list", { state })).sessions
        : [await calls.call("sessions.get", { session: only })].filter(
            (one) => state === undefined || one.state === state,
          );
    const others = machines && only === null ? await listMachines(calls, state) : undefined;
    const found = [...all, ...(others?.sessions ?? [])].toSorted(byAge);
    const sessions = found.slice(0, limit).map((session) => ({
      session: session.id,
      name: session.name,
      state: session.state,
      status: statusText(session),
      command: session.command.join(" ").slice(0, 200),
      exit: exitOf(session),
      end: session.end,
    }));
    return { sessions, omitted: found.length - sessions.length, machines: others?.machines };
  },
});

const byAge = (one: Session, other: Session): number => Date.parse(other.createdAt) - Date.parse(one.createdAt);

const statusText = ({ status }: Session): string | null =>
  status === null ? null : `${status.state}: ${status.summary}`.slice(0, 200);

export const close = defineTool({
  name: "close",
  title: "Close a session",
  description: [
    "Ends the program of a session and all its processes, and returns when it has ended.",
    "Its output is kept: `read` and `search` still work. Close the sessions that you opened when you are done.",
  ],
  isDestructive: true,
  input: z.strictObject({
    session: sessionField,
    graceMs: z.int().min(0).max(30_000).default(2000).describe("Time between the first signal and SIGKILL"),
  }),
  output: z.strictObject({ session: z.string(), state: stateSchema, exit: z.string().nullable() }),
  run: async ({ session, graceMs }, calls) => {
    const ended = await calls.call("sessions.kill", { session, graceMs }).catch(async (error: unknown) => {
      // Closing twice is no mistake.
      if (!(error instanceof LecternError) || error.code !== "SESSION_ENDED") throw error;
      return await calls.call("sessions.get", { session });
    });
    return {
      session: joinAddress({ machine: splitAddress(session).machine, session: ended.id }),
      state: ended.state,
      exit: exitOf(ended),
    };
  },
});

export const machines = defineTool({
  name: "machines",
  title: "List other machines",
  description: [
    "Lists the other machines that are reached from here, each with its state and, if it is away, the reason.",
    "Their sessions are named with the machine in front, as in box/work; `list` with machines: true has them.",
  ],
  needsAllSessions: true,
  input: z.strictObject({}),
  output: z.strictObject({ machines: z.array(machineSchema) }),
  run: async (_, calls) => ({ machines: (await calls.call("machines.list", {})).machines }),
});
