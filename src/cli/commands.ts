/** All commands in groups. Each is loaded on demand, so `lectern ls` does not load `lectern up`. */
import { aliases } from "./aliases.ts";
import type { Command, CommandGroupName, CommandLoaders } from "./command.ts";
import { features } from "../features/features.ts";
import { withHostOption } from "./host-option.ts";

/** In the order of the help. */
const ownGroups: Readonly<Record<CommandGroupName, CommandLoaders>> = {
  start: {
    run: async () => (await import("./commands/run.ts")).run,
    ls: async () => (await import("./commands/ls.ts")).ls,
    rename: async () => (await import("./commands/rename.ts")).rename,
    label: async () => (await import("./commands/label.ts")).label,
    kill: async () => (await import("./commands/kill.ts")).kill,
    rm: async () => (await import("./commands/rm.ts")).rm,
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
    token: async () => (await import("./commands/token.ts")).token,
    doctor: async () => (await import("./commands/doctor.ts")).doctor,
    completion: async () => (await import("./commands/completion.ts")).completionOf(loadAll),
    version: async () => (await import("./commands/version.ts")).version,
  },
};

/** Those of features are the last of their groups. */
const groups: readonly (readonly [string, CommandLoaders])[] = Object.entries(ownGroups).map(([name, own]) => [
  name,
  Object.assign({}, own, ...features.map(({ commands }) => commands?.[name as CommandGroupName])) as CommandLoaders,
]);

const loaders: CommandLoaders = Object.assign({}, ...groups.map(([, members]) => members));

export const commandNames: readonly string[] = Object.keys(loaders);

export function loadCommand(name: string): Promise<Command> | undefined {
  const known = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return known !== undefined && Object.hasOwn(loaders, known) ? loaders[known]?.().then(withHostOption) : undefined;
}

export const loadAll = (): Promise<Command[]> =>
  Promise.all(Object.values(loaders).map(async (load) => withHostOption(await load())));

/** The names alone, without loading a command. */
export const groupNames = (): NamedGroup[] =>
  groups.map(([name, members]) => ({
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
    groups.map(async ([name, members]) => ({
      name,
      commands: await Promise.all(Object.values(members).map(async (load) => withHostOption(await load()))),
    })),
  );
