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

/** `named("a b", "x y")` is `a.x a.y b.x b.y`. */
const named = (stems: string, endings: string): string =>
  stems
    .split(" ")
    .flatMap((stem) => endings.split(" ").map((ending) => `${stem}.${ending}`))
    .join(" ");

export const executedLater: readonly ExecutedLaterPlace[] = [
  ...places("held", "VS Code", ".vscode"),
  ...places("held", "a JetBrains editor", ".idea .fleet"),
  ...places("held", "Zed", ".zed"),
  ...places("held", "Helix", ".helix"),
  ...places("held", "Theia", ".theia"),
  ...places("set-aside", "Eclipse", ".externalToolBuilders"),
  ...places(
    "set-aside",
    "Vim",
    ".exrc .vimrc .gvimrc .lvimrc .nvimrc .nvim.lua .vim .ycm_extra_conf.py .vimspector.json",
  ),
  ...places("set-aside", "Emacs", ".dir-locals.el .dir-locals-2.el"),
  ...places("held", "a development container", ".devcontainer"),
  ...places("set-aside", "a development container", ".devcontainer.json .gitpod.yml .idx"),
  ...places("held", "direnv", ".envrc"),
  ...places("set-aside", "direnv", ".direnv"),
  ...places("set-aside", "mise", "mise.toml .mise.toml mise.local.toml .mise.local.toml .mise"),
  ...places("set-aside", "autoenv", ".autoenv .autoenv.zsh .autoenv_leave.zsh"),
  ...places("set-aside", "asdf", ".tool-versions"),
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
  ...places(
    "held",
    "an agent",
    ".windsurf .kiro .factory .roo .amp .goose .junie .trae .augment .clinerules .cline .amazonq .kilocode .openhands",
  ),
  ...places("set-aside", "an agent", ".crush.json crush.json .aider.conf.yml .github/hooks"),
  ...places("held", "git commit", ".husky"),
  ...places(
    "set-aside",
    "git commit",
    ".pre-commit-config.yaml .overcommit.yml .simple-git-hooks.json .simple-git-hooks.cjs",
  ),
  ...places("set-aside", "git commit", "lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml"),
  ...places("set-aside", "git commit", ".lefthook.yml .lefthook.yaml .lefthook.toml .lefthook-local.yml .lefthook"),
  ...places("set-aside", "git commit", named(".config/lefthook lefthook-local", "yaml toml json")),
  ...places("set-aside", "git commit", named(".lefthook-local .config/lefthook-local", "yaml toml json")),
  ...places("set-aside", "git commit", ".lefthook.json .config/lefthook.yml .config/lefthook-local.yml"),
  ...places("set-aside", "git commit", named(".lintstagedrc", "json yaml yml js mjs cjs ts mts cts")),
  ...places("set-aside", "git commit", named("lint-staged.config commitlint.config", "js mjs cjs ts mts cts")),
  ...places("set-aside", "git commit", named(".commitlintrc", "json yaml yml js mjs cjs ts mts cts")),
  ...places("set-aside", "git commit", named(".huskyrc", "json yaml yml js")),
  ...places("set-aside", "git commit", ".lintstagedrc .commitlintrc .huskyrc husky.config.js"),
  ...places("set-aside", "git commit", "grumphp.yml captainhook.json"),
  ...places("set-aside", "Mercurial", ".hg/hgrc .hg/hgrc-not-shared"),
  ...places("set-aside", "Jujutsu", ".jj/repo/config.toml .jj/workspace-config.toml"),
  ...places("set-aside", "npm", ".npmrc binding.gyp"),
  ...places("set-aside", "pnpm", ".pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml"),
  ...places("set-aside", "Yarn", ".yarnrc .yarnrc.yml .yarn/releases .yarn/plugins"),
  ...places("set-aside", "Bun", "bunfig.toml"),
  ...places("set-aside", "make", "GNUmakefile"),
  ...places("set-aside", "Cargo", ".cargo rust-toolchain rust-toolchain.toml"),
  ...places("set-aside", "Maven", ".mvn"),
  ...places("set-aside", "Bundler", ".bundle"),
  ...places("set-aside", "Bazel", ".bazelrc .bazeliskrc .bazelversion tools/bazel"),
  ...places("set-aside", "sbt", ".sbtopts .jvmopts .sbtrc"),
  ...places("set-aside", "a debugger", ".gdbinit .lldbinit .pdbrc"),
  ...places("set-aside", "an interpreter", ".irbrc .pryrc .Rprofile .ghci .ocamlinit .iex.exs .octaverc"),
  ...places("set-aside", "Docker Compose", "compose.override.yml compose.override.yaml"),
  ...places("set-aside", "Docker Compose", "docker-compose.override.yml docker-compose.override.yaml"),
  ...places("set-aside", "CI", ".github/workflows .github/actions .gitlab-ci.yml .gitea/workflows .forgejo/workflows"),
  ...places("set-aside", "CI", ".circleci .buildkite .travis.yml .drone.yml .woodpecker.yml .woodpecker appveyor.yml"),
  ...places("set-aside", "CI", "Jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .cirrus.yml"),
  ...places(
    "set-aside",
    "CI",
    ".semaphore .teamcity .build.yml .builds .azure-pipelines .woodpecker.yaml .appveyor.yml",
  ),
  ...places("set-aside", "CI", "buildspec.yml cloudbuild.yaml netlify.toml"),
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
