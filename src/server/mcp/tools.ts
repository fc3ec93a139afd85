/** All tools, in the order in which a host lists them. */
import { routes, type Scope } from "../../protocol/routes.ts";
import type { Caller } from "../../daemon/service.ts";
import { mayUse } from "../access.ts";
import { read, screen, search } from "./reading-tools.ts";
import { close, list, open } from "./session-tools.ts";
import { approve, digest, status, wait } from "./status-tools.ts";
import type { McpTool } from "./tool.ts";
import { run, send } from "./typing-tools.ts";

const tools: readonly McpTool[] = [open, run, send, read, screen, wait, status, digest, approve, search, list, close];

const order: readonly Scope[] = ["read", "write", "admin"];

/** The most that an operation behind the tool asks for. */
export const scopeOf = ({ uses }: McpTool): Scope =>
  uses
    .map((name) => routes[name].scope)
    .reduce((one, other) => (order.indexOf(one) > order.indexOf(other) ? one : other));

/** The tools that a caller may use at all; each call is checked again. */
export const toolsFor = (caller: Caller): readonly McpTool[] =>
  tools.filter((tool) => mayUse(caller, scopeOf(tool)) && (caller.session === null || !tool.needsAllSessions));
