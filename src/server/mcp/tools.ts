/** All tools, in the order in which a host lists them. */
import { includesScope, operations, operationsOfTool, type Scope } from "../../protocol/operations.ts";
import type { Caller } from "../../daemon/service.ts";
import { mayUse } from "../access.ts";
import { read, screen, search } from "./reading-tools.ts";
import { close, list, machines, open } from "./session-tools.ts";
import { approve, digest, status, wait } from "./status-tools.ts";
import type { McpTool } from "./tool.ts";
import { run, send } from "./typing-tools.ts";

const tools: readonly McpTool[] = [
  open,
  run,
  send,
  read,
  screen,
  wait,
  status,
  digest,
  approve,
  search,
  list,
  machines,
  close,
];

/** The highest scope that an operation of the tool needs. */
export const scopeOf = ({ name }: McpTool): Scope =>
  operationsOfTool(name)
    .map((operation) => operations[operation].scope)
    .reduce((one, other) => (includesScope(one, other) ? one : other));

/** The tools that a caller may use at all; each call is checked again. */
export const toolsFor = (caller: Caller): readonly McpTool[] =>
  tools.filter((tool) => mayUse(caller, scopeOf(tool)) && (caller.session === null || !tool.needsAllSessions));
