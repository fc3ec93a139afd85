/** All commands in groups. Each is loaded on demand, so `lectern ls` does not load `lectern up`. */
import { aliases } from "./aliases.ts";
import type { Command } from "./command.ts";
import { withHostOption } from "./host-option.ts";

type Loaders = Readonly<Record<string, () => Promise<Command>>>;

/** In the order of the help. */
const groups: Readonly<Record<string, Loaders>> = {
  start: {
    run: async () => (await import("./commands/run.ts")).run,
    ls: async () => (await import("./commands/ls.ts")).ls,
    resume: async () => (await import("./commands/resume.ts")).resume,
    rename: async () => (await import("./commands/rename.ts")).rename,
    label: async () => (await import("./commands/label.ts")).label,
    kill: async () => (await import("./commands/kill.ts")).kill,
    rm: async () => (await import("./commands/rm.ts")).rm,
    task: async () => (await import("./commands/task.ts")).task,
  },
  watch: {
    attach: async () => (await import("./commands/attach.ts")).attach,
    share: async () => (await import("./commands/share.ts")).share,
    open: async () => (await import("./commands/open.ts")).open,
    logs: async () => (await import("./commands/logs.ts")).logs,
    screen: async () => (await import("./commands/screen.ts")).screen,
    status: async () => (await import("./commands/status.ts")).status,
    chat: async () => (await import("./commands/chat.ts")).chat,
    events: async () => (await import("./commands/events.ts")).events,
    digest: async () => (await import("./commands/digest.ts")).digest,
    usage: async () => (await import("./commands/usage.ts")).usage,
    search: async () => (await import("./commands/search.ts")).search,
    wait: async () => (await import("./commands/wait.ts")).wait,
  },
  type: {
    send: async () => (await import("./commands/send.ts")).send,
    key: async () => (await import("./commands/key.ts")).key,
    prompt: async () => (await import("./commands/prompt.ts")).prompt,
    exec: async () => (await import("./commands/exec.ts")).exec,
    put: async () => (await import("./commands/put.ts")).put,
    emit: async () => (await import("./commands/emit.ts")).emit,
    resize: async () => (await import("./commands/resize.ts")).resize,
    signal: async () => (await import("./commands/signal.ts")).signal,
  },
  agents: {
    agents: async () => (await import("./commands/agents.ts")).agents,
    approvals: async () => (await import("./commands/approvals.ts")).approvals,
    approve: async () => (await import("./commands/approve.ts")).approve,
    mcp: async () => (await import("./commands/mcp.ts")).mcp,
  },
  records: {
    export: async () => (await import("./commands/export.ts")).exportCommand,
    import: async () => (await import("./commands/import.ts")).importCommand,
    replay: async () => (await import("./commands/replay.ts")).replay,
    check: async () => (await import("./commands/check.ts")).check,
    reindex: async () => (await import("./commands/reindex.ts")).reindex,
    blob: async () => (await import("./commands/blob.ts")).blob,
  },
  policy: {
    policy: async () => (await import("./commands/policy.ts")).policy,
    audit: async () => (await import("./commands/audit.ts")).audit,
  },
  administration: {
    up: async () => (await import("./commands/up.ts")).up,
    down: async () => (await import("./commands/down.ts")).down,
    service: async () => (await import("./commands/service.ts")).service,
    reload: async () => (await import("./commands/reload.ts")).reload,
    config: async () => (await import("./commands/config.ts")).config,
    info: async () => (await import("./commands/info.ts")).info,
    hosts: async () => (await import("./commands/hosts.ts")).hosts,
    cluster: async () => (await import("./commands/cluster.ts")).cluster,
    notify: async () => (await import("./commands/notify.ts")).notify,
    token: async () => (await import("./commands/token.ts")).token,
    doctor: async () => (await import("./commands/doctor.ts")).doctor,
    completion: async () => (await import("./commands/completion.ts")).completionOf(loadAll),
    version: async () => (await import("./commands/version.ts")).version,
  },
};

const loaders: Loaders = Object.assign({}, ...Object.values(groups));

export const commandNames: readonly string[] = Object.keys(loaders);

/** Undefined for an unknown name. */
export function loadCommand(name: string): Promise<Command> | undefined {
  const known = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return known !== undefined && Object.hasOwn(loaders, known) ? loaders[known]?.().then(withHostOption) : undefined;
}

export const loadAll = (): Promise<Command[]> =>
  Promise.all(Object.values(loaders).map(async (load) => withHostOption(await load())));

/** The names alone, without loading a command. */
export const groupNames = (): NamedGroup[] =>
  Object.entries(groups).map(([name, members]) => ({
    name,
    commands: Object.keys(members).map((each) => ({ name: each })),
  }));

export interface NamedGroup {
  readonly name: string;
  readonly commands: readonly Pick<Command, "name">[];
}

export interface CommandGroup {
  readonly name: string;
  readonly commands: readonly Command[];
}

export const loadGroups = (): Promise<CommandGroup[]> =>
  Promise.all(
    Object.entries(groups).map(async ([name, members]) => ({
      name,
      commands: await Promise.all(Object.values(members).map(async (load) => withHostOption(await load()))),
    })),
  );
