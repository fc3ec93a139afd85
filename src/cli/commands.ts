/** All commands, each loaded when it is used: `lectern ls` must not pay for `lectern up`. */
import type { Command } from "./command.ts";

/** In the order of the help. */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import("./commands/up.ts")).up,
  down: async () => (await import("./commands/down.ts")).down,
  open: async () => (await import("./commands/open.ts")).open,
  run: async () => (await import("./commands/run.ts")).run,
  ls: async () => (await import("./commands/ls.ts")).ls,
  agent: async () => (await import("./commands/agent.ts")).agent,
  attach: async () => (await import("./commands/attach.ts")).attach,
  logs: async () => (await import("./commands/logs.ts")).logs,
  send: async () => (await import("./commands/send.ts")).send,
  key: async () => (await import("./commands/key.ts")).key,
  emit: async () => (await import("./commands/emit.ts")).emit,
  events: async () => (await import("./commands/events.ts")).events,
  exec: async () => (await import("./commands/exec.ts")).exec,
  wait: async () => (await import("./commands/wait.ts")).wait,
  prompt: async () => (await import("./commands/prompt.ts")).prompt,
  screen: async () => (await import("./commands/screen.ts")).screen,
  status: async () => (await import("./commands/status.ts")).status,
  chat: async () => (await import("./commands/chat.ts")).chat,
  digest: async () => (await import("./commands/digest.ts")).digest,
  search: async () => (await import("./commands/search.ts")).search,
  resize: async () => (await import("./commands/resize.ts")).resize,
  signal: async () => (await import("./commands/signal.ts")).signal,
  kill: async () => (await import("./commands/kill.ts")).kill,
  rm: async () => (await import("./commands/rm.ts")).rm,
  rename: async () => (await import("./commands/rename.ts")).rename,
  label: async () => (await import("./commands/label.ts")).label,
  export: async () => (await import("./commands/export.ts")).exportCommand,
  import: async () => (await import("./commands/import.ts")).importCommand,
  reindex: async () => (await import("./commands/reindex.ts")).reindex,
  replay: async () => (await import("./commands/replay.ts")).replay,
  audit: async () => (await import("./commands/audit.ts")).audit,
  agents: async () => (await import("./commands/agents.ts")).agents,
  approvals: async () => (await import("./commands/approvals.ts")).approvals,
  approve: async () => (await import("./commands/approve.ts")).approve,
  policy: async () => (await import("./commands/policy.ts")).policy,
  blob: async () => (await import("./commands/blob.ts")).blob,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
  info: async () => (await import("./commands/info.ts")).info,
  token: async () => (await import("./commands/token.ts")).token,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  completion: async () => (await import("./commands/completion.ts")).completion,
  version: async () => (await import("./commands/version.ts")).version,
};

/** Other names, here as well as in the records so that none has to be loaded; a test holds the two together. */
export const aliases: Readonly<Record<string, string>> = {
  list: "ls",
  ps: "ls",
  a: "attach",
  start: "up",
  stop: "down",
  web: "open",
  keys: "key",
  messages: "chat",
  remove: "rm",
};

export const commandNames: readonly string[] = Object.keys(loaders);

/** Undefined for a name that no command has. */
export function loadCommand(name: string): Promise<Command> | undefined {
  const known = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return known !== undefined && Object.hasOwn(loaders, known) ? loaders[known]?.() : undefined;
}

export const loadAll = (): Promise<Command[]> => Promise.all(Object.values(loaders).map((load) => load()));
