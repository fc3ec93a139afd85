/** The `sandbox:` block of a policy, and a file of its own: its JSON Schema, its type, and what the schema cannot check. */
import type { DataProblem } from "../json-schema/typed-form.ts";
import { readHostPattern } from "../network/host-patterns.ts";
import {
  builtInProfiles,
  DEFAULT_SANDBOX_PROFILE,
  SANDBOX_PROFILES,
  type SandboxNetwork,
  type SandboxProfile,
} from "./profile.ts";

/** Entries are added to those of the base profile; `network` replaces its own. */
export interface SandboxData {
  readonly profile?: (typeof SANDBOX_PROFILES)[number];
  readonly write?: readonly string[];
  readonly hide?: readonly string[];
  readonly readOnly?: readonly string[];
  readonly network?: SandboxNetwork;
  readonly transcripts?: boolean;
}

const PATHS_MAX = 200;

const paths = (description: string): object => ({
  type: "array",
  maxItems: PATHS_MAX,
  items: { type: "string", minLength: 1, maxLength: 4096 },
  description,
});

export const sandboxSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Lectern sandbox",
  type: "object",
  additionalProperties: false,
  description: "Walls around the session. Paths are absolute, ~/..., $TMP, or in the working directory.",
  properties: {
    profile: { enum: SANDBOX_PROFILES, description: "What the entries are added to. Default: work." },
    write: paths("May be written; everything else is read-only. The path must exist."),
    hide: paths("Does not exist inside, or is empty."),
    readOnly: paths("Cannot be written although it is inside of a path that can, also when it does not exist yet."),
    network: {
      type: ["string", "array"],
      items: { type: "string", minLength: 1, maxLength: 260 },
      maxItems: PATHS_MAX,
      description:
        "none, gateway, or a list of hosts that can be reached beside the gateway: name, *.name, name:port. " +
        "ask, alone or in the list: a person is asked about every other host.",
    },
    transcripts: {
      type: "boolean",
      description: "false: the record that the agent keeps of its conversation is not read. Default: true.",
    },
  },
} as const;

/** What is wrong with data that fits the schema. */
export function sandboxProblems(data: SandboxData): readonly DataProblem[] {
  const problems: DataProblem[] = [];
  for (const key of ["write", "hide", "readOnly"] as const) {
    (data[key] ?? []).forEach((entry, index) => {
      const message = pathProblem(entry);
      if (message !== undefined) problems.push({ path: [key, index], message });
    });
  }
  const network: string | readonly string[] | undefined = data.network;
  if (typeof network === "string" && !isNetworkWord(network)) {
    problems.push({
      path: ["network"],
      message: `"${network}" is not a network: write none, gateway, ask, or a list of hosts`,
    });
  }
  if (typeof network === "object") {
    network.forEach((host, index) => {
      const found = host === "ask" ? undefined : readHostPattern(host);
      const message = isNetworkWord(host) && host !== "ask" ? `"${host}" stands alone, not in a list` : found;
      if (typeof message !== "string") return;
      problems.push({ path: ["network", index], message });
    });
  }
  return problems;
}

const isNetworkWord = (text: string): boolean => ["none", "gateway", "ask"].includes(text);

function pathProblem(entry: string): string | undefined {
  if (/[*?[\]]/.test(entry)) return `"${entry}" has wildcards: name the file or directory itself`;
  if (entry.includes("\0")) return "A path has a NUL byte";
  if (entry.includes("$") && !/^\$TMP(?:\/|$)/.test(entry))
    return `"${entry}" has a variable: only $TMP at the beginning is known; write the path out`;
  if (/^~[^/]/.test(entry)) return `"${entry}" is in the home of another user: write the path out`;
  return undefined;
}

/** The profile of some data. `base`: in place of the one that the data names. */
export function profileOf(data: SandboxData, base?: (typeof SANDBOX_PROFILES)[number]): SandboxProfile {
  const profile = builtInProfiles[base ?? data.profile ?? DEFAULT_SANDBOX_PROFILE];
  return {
    name: profile.name,
    caches: profile.caches,
    write: [...profile.write, ...(data.write ?? [])],
    hide: [...profile.hide, ...(data.hide ?? [])],
    readOnly: [...profile.readOnly, ...(data.readOnly ?? [])],
    network: data.network ?? profile.network,
    ...(data.transcripts === false && { transcripts: false as const }),
  };
}
