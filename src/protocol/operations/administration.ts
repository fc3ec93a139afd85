/** The daemon itself, its hosts and tokens. */
import * as z from "zod";
import { define, session } from "./define.ts";

const tokenSchema = z.strictObject({
  id: z.string(),
  scope: z.enum(["read", "write", "admin"]),
  session: z.string().nullable(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
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
  "daemon.info": define(
    "What runs here: version, listeners, hosts",
    z.strictObject({}),
    z.strictObject({
      version: z.string(),
      protocolVersion: z.int(),
      pid: z.int(),
      startedAt: z.iso.datetime(),
      dataDirectory: z.string(),
      listen: z.array(z.string()),
      sessions: z.strictObject({ live: z.int(), ended: z.int() }),
      hosts: z.array(hostSchema),
      /** What is wrong with the daemon's own files now, for example because the disk is full, and what to do. */
      problems: z.array(z.string()),
    }),
  ),
  "daemon.agents": define(
    "Coding agents that are known, and where they are installed on the daemon's PATH",
    z.strictObject({}),
    z.strictObject({
      agents: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          /** On npm; null where it comes from elsewhere. */
          package: z.string().nullable(),
          /** The model servers of the gateway that it uses; empty where it cannot be watched. */
          routes: z.array(z.string()).readonly(),
          /** Of its program; null where it is not installed. */
          path: z.string().nullable(),
          notes: z.string(),
        }),
      ),
    }),
  ),
  "daemon.stop": define(
    "Ends the daemon; programs go on in their host unless `programs` is true",
    z.strictObject({ programs: z.boolean().default(false) }),
    z.strictObject({ pid: z.int() }),
  ),
  "hosts.drain": define(
    "Lets the hosts of now take no new sessions: the next session starts a new host",
    z.strictObject({}),
    z.strictObject({ hosts: z.array(hostSchema) }),
  ),
  "tokens.create": define(
    "Makes a token; its text is in this answer only",
    z.strictObject({
      scope: z.enum(["read", "write", "admin"]).default("read"),
      session: session.optional(),
      label: z.string().max(64).default(""),
      expiresInSeconds: z.int().min(1).max(31_536_000).optional(),
    }),
    tokenSchema.extend({ token: z.string() }),
  ),
  "tokens.list": define(
    "Tokens, without their texts",
    z.strictObject({}),
    z.strictObject({ tokens: z.array(tokenSchema) }),
  ),
  "tokens.revoke": define(
    "Ends a token",
    z.strictObject({ token: z.string().min(1).max(64) }),
    z.strictObject({ id: z.string() }),
  ),
} as const;
