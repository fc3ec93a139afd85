import assert from "node:assert/strict";
import { test } from "node:test";
import { pathList, pathListNames, type PathList } from "./path-lists.ts";

function listOf(name: string): PathList {
  const list = pathList(name);
  assert.ok(list);
  return list;
}

const matching = (name: string, paths: string): string[] =>
  paths.split(" ").filter((path) => listOf(name).matches(`/project/${path}`));

test("credentials are known by their names and folders, in any case", () => {
  const secret =
    ".env .ENV .env.test .env.bak a/.Env.Production id_rsa id_ecdsa id_ed25519_work server.key tls/ca.PEM .npmrc .pgpass credentials.json " +
    "service-account.json terraform.tfvars .vault-token .ssh .ssh/config.ts .AWS/credentials .config/gh/hosts.yml auth.json .netrc";
  assert.deepEqual(matching("credentials", secret), secret.split(" "));
  assert.deepEqual(listOf("credentials").matches("/proc/1/environ"), true);
  const open =
    "src/a.ts .env.example src/id_rsa.ts id_ed25519.pub environment.ts keys.ts a.keyboard package.json .config/x";
  assert.deepEqual(matching("credentials", open), []);
});

test("what is executed later is known by its names and folders, in any case", () => {
  const executed =
    ".git .git/hooks/x .GIT/config .husky/pre-commit .github/workflows/x.yml .VSCode/tasks.json .envrc .bashrc package.json Makefile " +
    "GNUmakefile lefthook.yml .pre-commit-config.yaml mise.toml .cargo/config.toml Jenkinsfile azure-pipelines.yml .travis.yml .gdbinit " +
    ".pyenv/x .local/bin/x .tmux.conf .vim/vimrc .pam_environment .config/x .zed/tasks.json .windsurf/x .kiro/hooks/x .mcp.json";
  assert.deepEqual(matching("executed-later", executed), executed.split(" "));
  assert.deepEqual(
    matching("executed-later", "src/a.ts .gitignore README.md docs/makefile.md build.rs bin/x .local/x"),
    [],
  );
});

test("a pattern may become a name of the list, unless each name that fits it is harmless", () => {
  const { mayMatch } = listOf("credentials");
  for (const pattern of ["/project/.e*", "/project/*", "/project/*.json", "/project/*/id_rsa"])
    assert.equal(mayMatch(pattern), pattern !== "/project/*" || mayMatch("/project/x*"), pattern);
  assert.equal(mayMatch("/project/src/*.ts"), false);
  assert.equal(mayMatch("/project/.ssh/*.ts"), true);
});

test("a folder may hold what a list names", () => {
  const { below } = listOf("credentials");
  assert.deepEqual(["/users/me/.ssh", "/users/me", "/proc"].map(below), ["yes", "anywhere", "yes"]);
});

test("a list that does not exist is not found", () => {
  assert.equal(pathList("toString"), undefined);
  assert.deepEqual(pathListNames, ["credentials", "executed-later"]);
});
