/** The daemon itself, its hosts and tokens. */
import * as z from "zod";
import { machineSchema } from "../machines.ts";
import { define, session } from "./define.ts";

const tokenSchema = z.strictObject({
  id: z.string(),
  scope: z.enum(["read", "write", "admin"]),
  session: z.string().nullable(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  /** The last use, or up to an hour before it; null if it was never used. */
  lastUsedAt: z.iso.datetime().nullable(),
});

const hostSchema = z.strictObject({
  name: z.string(),
  pid: z.int(),
  version: z.string(),
  backend: z.string(),
  sessions: z.int(),
  draining: z.boolean(),
});

export const administrationOperations = {
  "daemon.info": define({
    summary: "Show the daemon's version, listeners, hosts and problems",
    endpoint: "GET /v1/daemon",
    scope: "read",
    cli: ["info"],
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      protocolVersion: z.int(),
      pid: z.int(),
      startedAt: z.iso.datetime(),
      dataDirectory: z.string(),
      listen: z.array(z.string()),
      sessions: z.strictObject({ live: z.int(), ended: z.int() }),
      hosts: z.array(hostSchema),
      /** Current problems of the files of the daemon, for example a full disk, each with the next step. */
      problems: z.array(z.string()),
    }),
  }),
  "daemon.agents": define({
    summary: "List known coding agents and where each is installed on the daemon's PATH",
    endpoint: "GET /v1/agents",
    scope: "read",
    cli: ["agents"],
    input: z.strictObject({}),
    output: z.strictObject({
      agents: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          /** Its name on npm; null if it is not there. */
          package: z.string().nullable(),
          /** The routes of the gateway that it uses; empty if it cannot use the gateway. */
          routes: z.array(z.string()).readonly(),
          /** The path of its program; null if it is not installed. */
          path: z.string().nullable(),
          notes: z.string(),
        }),
      ),
    }),
  }),
  "daemon.reload": define({
    summary: "Read the configuration again; a file with errors changes nothing",
    endpoint: "POST /v1/daemon/reload",
    scope: "admin",
    person: true,
    cli: ["reload"],
    input: z.strictObject({}),
    output: z.strictObject({
      /** Null for a daemon without one. */
      file: z.string().nullable(),
      exists: z.boolean(),
      /** Keys that differ from what was in force, such as `listen.port`. */
      changed: z.array(z.string()),
      /** Keys that count when the daemon starts again, and differ from what it was started with. */
      needRestart: z.array(z.string()),
      /** Other files that were reloaded, such as a certificate. */
      notes: z.array(z.string()),
      /** What could not be reloaded: its former state is in force. */
      failures: z.array(z.string()),
      /** Not empty: what was in force before still is. */
      problems: z.array(z.strictObject({ line: z.int(), column: z.int(), message: z.string() })),
    }),
  }),
  "daemon.stop": define({
    summary: "Stop the daemon; programs keep running in their host unless `programs` is true",
    endpoint: "POST /v1/daemon/stop",
    scope: "admin",
    person: true,
    cli: ["down"],
    input: z.strictObject({ programs: z.boolean().default(false) }),
    output: z.strictObject({ pid: z.int() }),
  }),
  "hosts.drain": define({
    summary: "Drain the current hosts: they take no new sessions, and the next session starts a new host",
    endpoint: "POST /v1/hosts/drain",
    scope: "admin",
    person: true,
    input: z.strictObject({}),
    output: z.strictObject({ hosts: z.array(hostSchema) }),
  }),
  "machines.list": define({
    summary: "List the other machines that this daemon reaches, without asking any",
    endpoint: "GET /v1/machines",
    scope: "read",
    cli: ["hosts"],
    mcp: ["machines", "list"],
    input: z.strictObject({}),
    output: z.strictObject({ machines: z.array(machineSchema) }),
  }),
  "tokens.create": define({
    summary: "Create a token; the response is the only place that contains its text",
    endpoint: "POST /v1/tokens",
    scope: "admin",
    person: true,
    cli: ["token"],
    input: z.strictObject({
      scope: z.enum(["read", "write", "admin"]).default("read"),
      session: session.optional(),
      label: z.string().max(64).default(""),
      expiresInSeconds: z.int().min(1).max(31_536_000).optional(),
    }),
    output: tokenSchema.extend({ token: z.string() }),
  }),
  "tokens.list": define({
    summary: "List tokens without their text",
    endpoint: "GET /v1/tokens",
    scope: "admin",
    cli: ["token"],
    input: z.strictObject({}),
    output: z.strictObject({ tokens: z.array(tokenSchema) }),
  }),
  "tokens.revoke": define({
    summary: "Revoke a token",
    endpoint: "DELETE /v1/tokens/{token}",
    scope: "admin",
    person: true,
    cli: ["token"],
    input: z.strictObject({ token: z.string().min(1).max(64) }),
    output: z.strictObject({ id: z.string() }),
  }),
} as const;
