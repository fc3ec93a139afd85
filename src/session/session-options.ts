import type { LecternClient } from "../client/client.ts";
import type { AgentRegistry } from "../core/agents/registry.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { OptionNames } from "../core/option-names.ts";
import { programNames, type ProgramOptions } from "../terminal/program-start.ts";

/** Where a session runs, how its program is started, and what is read off it. */
export interface SessionOptions extends ProgramOptions {
  /** Runs it in the daemon of this client, where it keeps running without this process. Default: in this process. */
  readonly client?: LecternClient;
  /** Default: the name of the program. */
  readonly name?: string;
  /** In this process: the directory in which the journal is kept, in a folder with the id of the session. Default: nothing is kept. */
  readonly journal?: string;
  /** In this process: the agents that are known. Default: the built-in ones. A daemon has its own. */
  readonly agents?: AgentRegistry;
  /** The agent that the program is. Default: its command shows it. */
  readonly agent?: string;
  /** In a daemon: the requests of an agent go through the gateway, which gives the exact text of its model. `{}` is all defaults. */
  readonly wire?: NonNullable<InputOf<"sessions.create">["wire"]>;
  /** You trust everything that the program prints: plain tags of events have the trust `text`. Default false: `unverified`. */
  readonly trustText?: boolean;
  /** JSON Schemas by event name: an event that does not match is reported as invalid. */
  readonly eventSchemas?: Readonly<Record<string, unknown>>;
}

export const sessionNames: OptionNames<SessionOptions> = {
  ...programNames,
  client: true,
  name: true,
  journal: true,
  agents: true,
  agent: true,
  wire: true,
  trustText: true,
  eventSchemas: true,
};
