import { waits } from "../../core/waits.ts";
import { findAgents } from "../agents/installed.ts";
import type { Handlers } from "../service.ts";
import type { StoredToken } from "../store/schema.ts";
import { PROTOCOL_VERSION } from "../../protocol/routes.ts";
import type { Daemon } from "./context.ts";

type AdministrationHandlers = Pick<
  Handlers,
  | "daemon.agents"
  | "daemon.info"
  | "daemon.reload"
  | "daemon.stop"
  | "hosts.drain"
  | "machines.list"
  | "tokens.create"
  | "tokens.list"
  | "tokens.revoke"
>;

export function administrationHandlers(daemon: Daemon): AdministrationHandlers {
  const { registry, hosts, tokens } = daemon;
  return {
    "daemon.info": async () => {
      const entries = [...registry.all];
      const live = entries.filter((entry) => entry.live).length;
      return {
        version: daemon.version,
        protocolVersion: PROTOCOL_VERSION,
        pid: process.pid,
        startedAt: daemon.startedAt.toISOString(),
        dataDirectory: daemon.paths.dataDirectory,
        listen: [...daemon.listen],
        sessions: { live, ended: entries.length - live },
        hosts: await hosts.views(),
        problems: daemon.problems.all,
      };
    },
    "daemon.agents": async () => ({ agents: await findAgents(daemon.agents.registry, process.env["PATH"] ?? "") }),
    "daemon.reload": async () => {
      const { changed, failures, needRestart, notes, problems } = await daemon.config.reload();
      return {
        file: daemon.config.file ?? null,
        exists: daemon.config.exists,
        changed: [...changed],
        needRestart: [...needRestart],
        notes: [...notes],
        failures: [...failures],
        problems: problems.map(({ column, line, message }) => ({ line, column, message })),
      };
    },
    "daemon.stop": async ({ programs }) => {
      if (programs) {
        const seats = [...registry.all].flatMap((entry) => entry.seat ?? []);
        await Promise.all(seats.map(({ client, handle }) => client.call("kill", { handle, graceMs: waits.graceMs })));
        hosts.drainAll();
      }
      setTimeout(() => daemon.onStop(), waits.pollMs);
      return { pid: process.pid };
    },
    "hosts.drain": async () => {
      hosts.drainAll();
      return { hosts: await hosts.views() };
    },
    "machines.list": async () => {
      await daemon.machines.ready();
      return { machines: daemon.machines.list() };
    },
    "tokens.create": async ({ scope, session, label, expiresInSeconds }) => {
      const { stored, text } = await tokens.create({
        scope,
        session: session === undefined ? null : registry.resolve(session).id,
        label,
        expiresAt: expiresInSeconds === undefined ? null : new Date(Date.now() + expiresInSeconds * 1000),
      });
      return { ...withoutHash(stored), token: text };
    },
    "tokens.list": async () => ({ tokens: tokens.all.map((token) => withoutHash(token)) }),
    "tokens.revoke": async ({ token }) => {
      await tokens.revoke(token);
      return { id: token };
    },
  };
}

const withoutHash = ({ hash: _, ...token }: StoredToken): Omit<StoredToken, "hash"> => token;
