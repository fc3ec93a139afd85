/** Makes a cluster of machines on NATS servers, and joins this machine to one. */
import { LecternError } from "../../../core/errors.ts";
import { defineCommand, jsonOption } from "../../../cli/command.ts";

const roles = ["machine", "operator", "viewer"] as const;
const DEFAULT_DIRECTORY = "lectern-cluster";

export const cluster = defineCommand({
  name: "cluster",
  summary: "Make a cluster of machines on NATS servers, or join one",
  details: [
    "Where the servers are administered, in the directory --out:",
    "  init --servers A or A,B,C   write keys, certificates and the configuration of each nats-server",
    "  add NAME, remove NAME       write or remove the token file of a member; servers of this machine reload",
    "  prepare                     make the buckets, once the servers run",
    "On each machine:",
    "  join TOKEN-FILE             keep the token in the data directory; the daemon connects at once",
    "  leave                       remove it",
    "  status                      the connection, and the machines of the cluster",
    "Roles: a machine offers its sessions; an operator also reads and writes those of all machines; a viewer only reads.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["init", "add", "remove", "prepare", "join", "leave", "status"] },
    { name: "word", summary: "NAME or TOKEN-FILE", count: "optional", completes: "file" },
  ],
  options: {
    servers: { type: "text", placeholder: "HOSTS", summary: "init: one or three HOST[:PORT], separated by commas" },
    out: {
      type: "text",
      placeholder: "DIRECTORY",
      completes: "directory",
      summary: `init, add, remove, prepare: default ${DEFAULT_DIRECTORY}`,
    },
    role: { type: "text", placeholder: "ROLE", choices: roles, summary: "add: default machine" },
    name: { type: "text", placeholder: "NAME", summary: "join: refuse a token of another name" },
    json: jsonOption,
  },
  examples: [
    "lectern cluster init --servers box.example",
    "lectern cluster add laptop --role operator",
    "lectern cluster join laptop.token",
    "lectern cluster status",
  ],
  async run({ arguments: { action, word }, options }, context) {
    const takesWord = action === "add" || action === "remove" || action === "join";
    if (takesWord && word === undefined) throw usage(`wanted ${action === "join" ? "TOKEN-FILE" : "NAME"}`);
    if (!takesWord && word !== undefined) throw usage(`unexpected argument "${word}" of "lectern cluster ${action}"`);
    refuseStray(action, options);
    const out = options.out ?? DEFAULT_DIRECTORY;
    switch (action) {
      case "init":
        return (await administration()).init({ servers: options.servers, out }, context);
      case "add":
        return (await administration()).add(word ?? "", { out, role: roleOf(options.role) }, context);
      case "remove":
        return (await administration()).remove(word ?? "", out, context);
      case "prepare":
        return (await administration()).prepare(out, context);
      case "join":
        return (await membership()).join(word ?? "", options.name, context);
      case "leave":
        return (await membership()).leave(context);
      default:
        return (await membership()).status(options.json, context);
    }
  },
});

/** Loaded on demand: they load the client libraries of NATS. */
const administration = () => import("./administration.ts");
const membership = () => import("./membership.ts");

/** Which actions an option is for. */
const optionActions: Readonly<Record<string, readonly string[]>> = {
  servers: ["init"],
  out: ["init", "add", "remove", "prepare"],
  role: ["add"],
  name: ["join"],
  json: ["status"],
};

function refuseStray(action: string, options: Readonly<Record<string, unknown>>): void {
  for (const [option, actions] of Object.entries(optionActions)) {
    const isGiven = options[option] !== undefined && options[option] !== false;
    if (isGiven && !actions.includes(action)) throw usage(`--${option} is for ${actions.join(", ")}`);
  }
}

const roleOf = (text: string | undefined): (typeof roles)[number] => roles.find((role) => role === text) ?? "machine";

const usage = (why: string): LecternError =>
  new LecternError("USAGE", `Cannot read the arguments: ${why}; see "lectern cluster --help"`);
