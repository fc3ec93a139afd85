/**
 * The operation table as a tRPC router: what reads is a query, what acts a mutation, what streams items a subscription. Operations whose
 * answer is bytes, and the WebSocket of `sessions.attach`, are not in it.
 */
import * as z from "zod";
import {
  initTRPC,
  type AnyTRPCProcedure,
  type TRPCBuiltRouter,
  type TRPCDefaultErrorShape,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
  type TRPCSubscriptionProcedure,
  tracked,
  type TrackedEnvelope,
  TRPCError,
  type TRPC_ERROR_CODE_KEY,
} from "@trpc/server";
import type { LecternClient } from "../client/client.ts";
import { LecternError, type ErrorDetails, errorTable } from "../core/errors.ts";
import {
  includesScope,
  operationNames,
  operations,
  type InputOf,
  type ItemOf,
  type ItemsOperation,
  type JsonOperation,
  type Operation,
  type OperationName,
  type OutputOf,
  type Scope,
  type ParsedInputOf,
} from "../protocol/operations.ts";
import type { SessionRecord } from "../client/session-record.ts";
import { toLecternError } from "../protocol/errors.ts";

const codes: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  499: "CLIENT_CLOSED_REQUEST",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE",
};

type Offered = JsonOperation | ItemsOperation;
type EndpointOf<Name extends OperationName> = (typeof operations)[Name]["endpoint"];

interface ErrorShape extends TRPCDefaultErrorShape {
  data: TRPCDefaultErrorShape["data"] & { lectern: { code: string; details: ErrorDetails } | null };
}

interface Typed<Input, Output> {
  input: Input;
  output: Output;
  meta: object;
  errorShape: ErrorShape;
}

/** Items of one session reach the client with the offset at which it resumes by itself. */
type Received<Name extends ItemsOperation> = Name extends `sessions.${string}`
  ? { id: string; data: ItemOf<Name> }
  : ItemOf<Name>;

type ProcedureOf<Name extends Offered> = Name extends ItemsOperation
  ? TRPCSubscriptionProcedure<Typed<InputOf<Name>, AsyncIterable<Received<Name>, void, void>>>
  : Name extends JsonOperation
    ? EndpointOf<Name> extends `GET ${string}`
      ? TRPCQueryProcedure<Typed<InputOf<Name>, OutputOf<Name>>>
      : TRPCMutationProcedure<Typed<InputOf<Name>, OutputOf<Name>>>
    : never;

type GroupOf<Name extends string> = Name extends `${infer Group}.${string}` ? Group : never;

/** The procedures by the names of their operations: `sessions.list`, `sessions.prompt`, `approvals.answer`, ... */
type LecternProcedures = {
  [Group in GroupOf<Offered>]: {
    [Name in Offered as Name extends `${Group}.${infer Short}` ? Short : never]: ProcedureOf<Name>;
  };
};

/** The type for tRPC's client: `createTRPCClient<LecternRouter>(...)`. In an error `data.lectern` has the code of PROTOCOL.md. */
export type LecternRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  LecternProcedures
>;

interface LecternRouterOptions {
  /** Operations beyond it are refused with `FORBIDDEN`, whatever the client itself may do. Default `read`. */
  readonly scope?: Scope;
  /** What the procedures are built on, such as `t.procedure.use(isSignedIn)`. Default: a procedure that admits everybody. */
  readonly procedure?: { input(schema: never): unknown };
}

const t = initTRPC.create({
  isDev: false,
  errorFormatter: ({ shape, error: { cause } }) => {
    const lectern = cause instanceof LecternError ? { code: cause.code, details: cause.details } : null;
    return { ...shape, data: { ...shape.data, lectern } };
  },
});

/** tRPC's client adds the id of the last item when it resumes. */
const resuming = {
  lastEventId: z
    .string()
    .regex(/^\d{1,16}$/)
    .optional(),
};

type Client = StreamingClient & Pick<LecternClient, "call">;
type Builder = typeof t.procedure;

/**
 * Makes a tRPC router that passes calls on to a daemon. Whoever reaches it acts with the authority of `client`, up to `scope`: give a
 * `procedure` that knows its callers where the server is not only for its own user.
 *
 * @example
 * ```ts
 * const client = new LecternClient(unixTransport(lecternPaths(process.env).daemonSocket));
 * createHTTPServer({ router: lecternRouter(client, { scope: "write" }) }).listen(3000, "127.0.0.1");
 * ```
 */
export function lecternRouter(client: Client, options: LecternRouterOptions = {}): LecternRouter {
  const { scope = "read" } = options;
  const base = (options.procedure ?? t.procedure) as unknown as Builder;
  const groups: Record<string, Record<string, AnyTRPCProcedure>> = {};
  for (const name of operationNames) {
    const isAllowed = includesScope(scope, operations[name].scope);
    const made = procedureOf(name, client, isAllowed ? base : refusing(base, name));
    const [group = "", short = ""] = name.split(".");
    if (made !== undefined) groups[group] = { ...groups[group], [short]: made };
  }
  // Built name by name: the compiler knows the table, and not what a loop makes of it.
  return t.router(groups) as unknown as LecternRouter;
}

const refusing = (base: Builder, name: OperationName): Builder =>
  base.use(() => {
    const { scope } = operations[name];
    throw toTrpcError(
      new LecternError("FORBIDDEN", `Cannot call "${name}": this server does not offer the scope "${scope}"`),
    );
  });

/** Undefined for operations that tRPC cannot carry. */
function procedureOf(name: OperationName, client: Client, base: Builder): AnyTRPCProcedure | undefined {
  const { input, output, stream, upload, endpoint }: Operation = operations[name];
  if (stream !== undefined && typeof stream.item !== "string") {
    const procedure = base.input(input.extend(resuming));
    return procedure.subscription(({ input: given, signal }) =>
      itemsOf(client, name as ItemsOperation, { given, signal }),
    );
  }
  if (output === undefined || upload !== undefined) return undefined;
  const procedure = base.input(input);
  const call = async ({
    input: given,
    signal,
  }: {
    input: unknown;
    signal: AbortSignal | undefined;
  }): Promise<unknown> => {
    try {
      return await client.call(name as JsonOperation, given as InputOf<JsonOperation>, { signal });
    } catch (error) {
      throw toTrpcError(error);
    }
  };
  return endpoint.startsWith("GET ") ? procedure.query(call) : procedure.mutation(call);
}

async function* itemsOf(
  client: Client,
  name: ItemsOperation,
  { given, signal }: { readonly given: Readonly<Record<string, unknown>>; readonly signal: AbortSignal | undefined },
): AsyncGenerator<unknown, void, void> {
  const { lastEventId, ...rest } = given;
  const input = lastEventId === undefined ? rest : { ...rest, from: Number(lastEventId) };
  try {
    yield* itemStreams[name](client, input as never, signal);
  } catch (error) {
    // A caller who has left does not read why it ended.
    if (signal?.aborted !== true) throw toTrpcError(error);
  }
}

/** Items of one session have the offset at which tRPC's client resumes by itself. */
type Streamed<Name extends ItemsOperation> = Name extends `sessions.${string}`
  ? TrackedEnvelope<ItemOf<Name>>
  : ItemOf<Name>;

type StreamingClient = Pick<LecternClient, "follow" | "updates" | "daemonUpdates">;

type Streams = {
  readonly [Name in ItemsOperation]: (
    client: StreamingClient,
    input: ParsedInputOf<Name>,
    signal: AbortSignal | undefined,
  ) => AsyncIterable<Streamed<Name>, void, void>;
};

const itemStreams: Streams = {
  "sessions.follow": async function* (client, { session, ...options }, signal) {
    for await (const record of client.follow(session, { ...options, signal }))
      yield tracked(String(record.next), toItem(record));
  },
  "sessions.updates": async function* (client, { session, ...options }, signal) {
    for await (const update of client.updates(session, { ...options, signal }))
      yield tracked(String(update.offset), update);
  },
  "daemon.updates": (client, options, signal) => client.daemonUpdates({ ...options, signal }),
};

/** As it is in PROTOCOL.md: the bytes of an output are base64. */
function toItem(record: SessionRecord): ItemOf<"sessions.follow"> {
  if (record.type !== "output") return { ...record };
  const { bytes, ...rest } = record;
  return { ...rest, data: Buffer.from(bytes).toString("base64") };
}

/** With the `LecternError` as its cause. */
function toTrpcError(error: unknown): TRPCError {
  const cause = toLecternError(error);
  const code = codes[errorTable[cause.code].status] ?? "INTERNAL_SERVER_ERROR";
  return new TRPCError({ code, message: cause.message, cause });
}
