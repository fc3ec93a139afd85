/**
 * The names that some program executes, or reads to know what to execute, without a command that names them: settings of editors, agents,
 * package managers, builds and CI. The only list of them: a sandbox protects these places, and a policy may ask about them.
 */

/**
 * What happens to a place that does not exist when a sandbox is made; one that exists is read-only.
 *
 * `held`: an empty directory takes the name, so that nothing can be made there, although its users may be at work meanwhile.
 * `memory`: as `held`, but the program inside may write, because it does not start otherwise.
 * `set-aside`: a program that is run inside would fail at a directory of that name; a new one is renamed at the end of the session.
 */
type MissingPlace = "held" | "memory" | "set-aside";

export interface ExecutedLaterPlace {
  /** Relative to the directory of the project. */
  readonly name: string;
  /** Who executes it, for people. */
  readonly by: string;
  readonly missing: MissingPlace;
}

const places = (missing: MissingPlace, by: string, names: string): readonly ExecutedLaterPlace[] =>
  names.split(" ").map((name) => ({ name, by, missing }));

export const executedLater: readonly ExecutedLaterPlace[] = [
  ...places("held", "VS Code", ".vscode"),
  ...places("held", "a JetBrains editor", ".idea .fleet"),
  ...places("held", "Zed", ".zed"),
  ...places("held", "Helix", ".helix"),
  ...places("set-aside", "Vim", ".exrc .vimrc .gvimrc .lvimrc .nvimrc .nvim.lua"),
  ...places("set-aside", "Emacs", ".dir-locals.el .dir-locals-2.el"),
  ...places("held", "a development container", ".devcontainer"),
  ...places("set-aside", "a development container", ".devcontainer.json"),
  ...places("held", "direnv", ".envrc"),
  ...places("set-aside", "direnv", ".direnv"),
  ...places("set-aside", "mise", "mise.toml .mise.toml mise.local.toml .mise.local.toml .mise"),
  ...places("set-aside", "mise", ".config/mise.toml .config/mise"),
  ...places("held", "Cursor", ".cursor"),
  ...places("held", "Claude Code", ".claude .mcp.json"),
  ...places("held", "Codex", ".codex"),
  ...places("held", "Gemini CLI", ".gemini"),
  ...places("held", "Qwen Code", ".qwen"),
  ...places("held", "pi", ".pi"),
  ...places("held", "Continue", ".continue"),
  ...places("memory", "OpenCode", ".opencode"),
  ...places("set-aside", "OpenCode", "opencode.json opencode.jsonc"),
  ...places("held", "an agent", ".windsurf .kiro .factory .roo .amp .goose .junie .trae .augment .clinerules"),
  ...places("set-aside", "an agent", ".crush.json .aider.conf.yml"),
  ...places("held", "git commit", ".husky"),
  ...places(
    "set-aside",
    "git commit",
    ".pre-commit-config.yaml .overcommit.yml .simple-git-hooks.json .simple-git-hooks.cjs",
  ),
  ...places("set-aside", "git commit", "lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml"),
  ...places("set-aside", "git commit", ".lefthook.yml .lefthook.yaml .lefthook.toml .lefthook-local.yml .lefthook"),
  ...places("set-aside", "Mercurial", ".hg/hgrc .hg/hgrc-not-shared"),
  ...places("set-aside", "Jujutsu", ".jj/repo/config.toml .jj/workspace-config.toml"),
  ...places("set-aside", "npm", ".npmrc binding.gyp"),
  ...places("set-aside", "pnpm", ".pnpmfile.cjs .pnpmfile.mjs"),
  ...places("set-aside", "Yarn", ".yarnrc .yarnrc.yml .yarn/releases .yarn/plugins"),
  ...places("set-aside", "Bun", "bunfig.toml"),
  ...places("set-aside", "make", "GNUmakefile"),
  ...places("set-aside", "Cargo", ".cargo rust-toolchain rust-toolchain.toml"),
  ...places("set-aside", "Maven", ".mvn"),
  ...places("set-aside", "Bazel", ".bazelrc .bazeliskrc tools/bazel"),
  ...places("set-aside", "sbt", ".sbtopts .jvmopts"),
  ...places("set-aside", "a debugger", ".gdbinit .lldbinit .pdbrc"),
  ...places("set-aside", "an interpreter", ".irbrc .pryrc .Rprofile .ghci .ocamlinit .iex.exs .octaverc"),
  ...places("set-aside", "Docker Compose", "compose.override.yml compose.override.yaml"),
  ...places("set-aside", "Docker Compose", "docker-compose.override.yml docker-compose.override.yaml"),
  ...places("set-aside", "CI", ".github/workflows .github/actions .gitlab-ci.yml .gitea/workflows .forgejo/workflows"),
  ...places("set-aside", "CI", ".circleci .buildkite .travis.yml .drone.yml .woodpecker.yml .woodpecker appveyor.yml"),
  ...places("set-aside", "CI", "Jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .cirrus.yml"),
];

const byName = new Map(executedLater.map((place) => [place.name, place]));

const PARTS_MAX = 3;

/** The first part of a relative path, or of the end of it, that is one of the list, as `.npmrc` in `packages/a/.npmrc`; undefined if none is. */
export function executedLaterIn(path: string): { readonly path: string; readonly by: string } | undefined {
  const parts = path.split("/");
  for (let end = 1; end <= parts.length; end += 1) {
    for (let from = end - 1; from >= Math.max(0, end - PARTS_MAX); from -= 1) {
      const place = byName.get(parts.slice(from, end).join("/"));
      if (place !== undefined) return { path: parts.slice(0, end).join("/"), by: place.by };
    }
  }
  return undefined;
}
