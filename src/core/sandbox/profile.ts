/** Profiles of a sandbox: what a program inside may write, what it does not see, and whom it can reach. */

/**
 * `gateway`: the gateway only. A list: the gateway and these hosts, as `readHostPattern` takes them. `ask`, alone or in the list: a person is asked
 * about every other host.
 */
export type SandboxNetwork = "none" | "gateway" | "ask" | readonly string[];

/** Entries are absolute paths, `~/...`, `$TMP` (a fresh /tmp), or relative to the working directory; `.` is the working directory. */
export interface SandboxProfile {
  readonly name: string;
  /** Everything else is read-only. */
  readonly write: readonly string[];
  /** Can be written if they exist, and have nothing in them that must be protected. */
  readonly caches: readonly string[];
  /** Does not exist inside, or is empty. What must always be hidden, such as the daemon's own files, is not named here. */
  readonly hide: readonly string[];
  /** Inside of `write`, and yet not writable. What makes the next run execute something is protected without being named. */
  readonly readOnly: readonly string[];
  readonly network: SandboxNetwork;
  /** The record that the agent keeps of its conversation is not read. Missing if it is. */
  readonly transcripts?: false | undefined;
}

export const SANDBOX_PROFILES = ["look", "work", "offline"] as const;

/** What `--sandbox` without a value means. */
export const DEFAULT_SANDBOX_PROFILE = "work";

/**
 * Places of credentials. A slash at the end means a directory, also for one that does not exist. Naming one of them under `write` or
 * `readOnly` shows it.
 */
const credentialPlaces: readonly string[] = [
  "~/.ssh/",
  "~/.aws/",
  "~/.azure/",
  "~/.config/gcloud/",
  "~/.config/gh/",
  "~/.config/glab-cli/",
  "~/.config/hub/",
  "~/.config/op/",
  "~/.config/rclone/",
  "~/.config/sops/",
  "~/.docker/",
  "~/.gnupg/",
  "~/.kube/",
  "~/.local/share/keyrings/",
  "~/.local/share/kwalletd/",
  "~/.mozilla/",
  "~/.config/google-chrome/",
  "~/.config/chromium/",
  "~/.netrc",
  "~/.git-credentials",
  "~/.config/git/credentials",
  "~/.npmrc",
  "~/.yarnrc.yml",
  "~/.pypirc",
  "~/.cargo/credentials.toml",
  "~/.gem/credentials",
  "~/.pgpass",
  "~/.my.cnf",
  "~/.password-store/",
  "~/.terraform.d/credentials.tfrc.json",
  "~/.vault-token",
  "~/.bash_history",
  "~/.zsh_history",
  "~/.local/share/fish/fish_history",
  "~/.psql_history",
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/ssl/private/",
];

/** Caches whose entries are verified by their users before they are used: a changed entry is not executed by the next run. */
const toolCaches: readonly string[] = ["~/.npm/_cacache", "~/.npm/_logs", "~/.local/share/pnpm/store"];

const common = { caches: [], hide: credentialPlaces, readOnly: [] } as const;

export const builtInProfiles: Readonly<Record<(typeof SANDBOX_PROFILES)[number], SandboxProfile>> = {
  look: { ...common, name: "look", write: ["$TMP"], network: "gateway" },
  work: { ...common, name: "work", write: [".", "$TMP"], caches: toolCaches, network: "gateway" },
  offline: { ...common, name: "offline", write: [".", "$TMP"], network: "none" },
};
