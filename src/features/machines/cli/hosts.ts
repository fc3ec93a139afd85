/** Other machines that are reached over SSH. */
import { LecternError } from "../../../core/errors.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import { displayCommand } from "../../../core/text/command-line.ts";
import { HOSTS_MAX, parseHost, readHosts, writeHosts, type SshHost } from "../../../machines/hosts-file.ts";
import { SshLink } from "../../../machines/ssh-link.ts";
import { printTable } from "../../../cli/columns.ts";
import { defineCommand, jsonOption } from "../../../cli/command.ts";
import type { CliContext } from "../../../cli/context.ts";
import { askHosts } from "../../../cli/ask-hosts.ts";
import { ensurePrivateDirectory } from "../../../host/private-directory.ts";
import { connectTo, hostNamed } from "../../../cli/host-link.ts";

export const hosts = defineCommand({
  name: "hosts",
  summary: "Add, list, check and remove other machines, reached over SSH",
  details: [
    "add NAME DESTINATION  DESTINATION is what ssh takes: user@machine, or a Host of your ssh configuration",
    "ls                    which hosts there are, and whether each answers",
    "check [NAME...]       connects; ssh may ask for a password or a second factor in this terminal",
    "rm NAME...            forgets hosts, and ends their connections; sessions there keep running",
    "",
    "The connection is your own ssh's, with its keys and jumps. All commands share it; it ends after ten minutes without use.",
    "Lectern has to be installed there; its daemon is started by itself. Then: lectern ls --all, lectern attach NAME/SESSION.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["add", "ls", "check", "rm"] },
    { name: "words", summary: "Of the action, as above", count: "any", completes: "host" },
  ],
  options: {
    "ssh-option": {
      type: "list",
      short: "o",
      placeholder: "KEY=VALUE",
      summary: "add: option of ssh, such as Port=2222",
    },
    program: { type: "text", placeholder: "PATH", summary: "add: lectern there, if it is not on the PATH of a login" },
    replace: { type: "flag", summary: "add: change a host of this name" },
    "no-check": { type: "flag", summary: "add: do not connect" },
    quiet: { type: "flag", short: "q", summary: "ls: print names only, and ask nobody" },
    json: jsonOption,
  },
  examples: [
    "lectern hosts add box me@box.example",
    "lectern hosts add pi pi -o Port=2222",
    "lectern hosts ls",
    "lectern hosts check box",
    "lectern hosts rm box",
  ],
  async run({ arguments: { action, words }, options }, context) {
    switch (action) {
      case "add":
        return add(words, options, context);
      case "check":
        return check(words, options.json, context);
      case "rm":
        return remove(words, context);
      default:
        if (words[0] !== undefined)
          throw new LecternError("USAGE", `Unexpected argument "${words[0]}" of "lectern hosts ls"`);
        return list(options, context);
    }
  },
});

interface AddOptions {
  readonly "ssh-option": readonly string[];
  readonly program: string | undefined;
  readonly replace: boolean;
  readonly "no-check": boolean;
  readonly json: boolean;
}

async function add(words: readonly string[], options: AddOptions, context: CliContext): Promise<void> {
  const [name, destination, extra] = words;
  if (name === undefined || destination === undefined || extra !== undefined)
    throw new LecternError("USAGE", "Wanted a name and a destination: lectern hosts add box user@machine");
  const { program = null, replace } = options;
  const host = parseHost({ name, destination, sshOptions: [...options["ssh-option"]], program });
  const { hostsFile, machinesDirectory } = context.paths;
  const before = readHosts(hostsFile);
  const taken = before.find((each) => each.name === name);
  if (taken !== undefined && !replace) {
    throw new LecternError(
      "NAME_TAKEN",
      `Cannot add host "${name}": it leads to ${taken.destination}; choose another name, or change it with --replace`,
    );
  }
  if (taken === undefined && before.length >= HOSTS_MAX)
    throw new LecternError("LIMIT_EXCEEDED", `Cannot add host "${name}": there are ${HOSTS_MAX} already; remove one`);
  const version = options["no-check"] ? null : await versionOf(host, taken !== undefined, context);
  ensurePrivateDirectory(context.paths.dataDirectory);
  const rest = readHosts(hostsFile).filter((each) => each.name !== name);
  writeHosts(hostsFile, [...rest, host]);
  if (taken !== undefined && JSON.stringify(taken) !== JSON.stringify(host))
    await new SshLink(taken, machinesDirectory).disconnect();
  if (options.json) await context.print(JSON.stringify({ ...host, version }));
  else {
    await context.print(name);
    const found = version === null ? "not checked" : `Lectern ${version}`;
    context.note(`Added "${name}" (${found}): lectern ls --all, lectern run --host ${name} -- bash`);
  }
}

/** A host that cannot be reached is not added: the reason says what to do. */
async function versionOf(host: SshHost, isAdded: boolean, context: CliContext): Promise<string> {
  const link = new SshLink(host, context.paths.machinesDirectory, { isAdded });
  try {
    return (await connectTo(link, { signal: context.signal })).version;
  } catch (error) {
    if (!(error instanceof LecternError) || error.code === "CANCELLED") throw error;
    throw new LecternError(error.code, `${error.message}; to add it without asking it: --no-check`, {
      details: error.details,
      cause: error,
    });
  }
}

async function list(
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  context: CliContext,
): Promise<number> {
  const known = readHosts(context.paths.hostsFile);
  if (quiet) {
    for (const { name } of known) await context.print(name);
    return 0;
  }
  const asked = await Array.fromAsync(askHosts(context, { name: "daemon.info", input: {} }));
  const rows = known.flatMap((host) => {
    const found = asked.find(({ host: { name } }) => name === host.name);
    return found === undefined
      ? []
      : [
          {
            ...host,
            version: found.answer?.version ?? null,
            away: found.reason ?? null,
            live: found.answer?.sessions.live ?? null,
          },
        ];
  });
  if (json) await context.print(JSON.stringify({ hosts: rows }));
  else if (rows.length > 0) {
    const cells = rows.map(({ away, destination, live, name, sshOptions, version }) => [
      name,
      away === null ? "connected" : "away",
      version ?? "-",
      live === null ? "-" : String(live),
      displayCommand([destination, ...sshOptions.flatMap((option) => ["-o", option])]),
      away === null ? "" : escapeForDisplay(away),
    ]);
    await printTable([["NAME", "STATE", "VERSION", "SESSIONS", "DESTINATION", "WHY"], ...cells], context);
  } else if (context.stdout.isTTY) context.note('No hosts: add one with "lectern hosts add box user@machine"');
  return 0;
}

/** Connects to each in turn, because each may ask. Returns 6 if one is out of reach. */
async function check(words: readonly string[], json: boolean, context: CliContext): Promise<number> {
  const { hostsFile } = context.paths;
  const names = words.length > 0 ? words : readHosts(hostsFile).map(({ name }) => name);
  let exitCode = 0;
  for (const link of names.map((name) => hostNamed(name, context.paths))) {
    const { name } = link.host;
    try {
      const { version } = await connectTo(link, { signal: context.signal });
      await context.print(json ? JSON.stringify({ name, version }) : `${name}: Lectern ${version}`);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof LecternError)) throw error;
      exitCode = 6;
      if (json) await context.print(JSON.stringify({ name, away: error.message }));
      else context.note(`lectern: ${escapeForDisplay(error.message)}`);
    }
  }
  return exitCode;
}

async function remove(names: readonly string[], context: CliContext): Promise<void> {
  if (names.length === 0) throw new LecternError("USAGE", 'Missing argument NAME; see "lectern hosts ls"');
  const { hostsFile } = context.paths;
  const going = names.map((name) => hostNamed(name, context.paths));
  writeHosts(
    hostsFile,
    readHosts(hostsFile).filter(({ name }) => !names.includes(name)),
  );
  for (const link of going) {
    await link.disconnect();
    await context.print(link.host.name);
  }
}
