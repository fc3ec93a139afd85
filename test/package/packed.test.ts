/** What a user gets: the packed file, installed into empty directories. Needs `npm run build`. */
import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { CliHome } from "../e2e/cli-home.ts";
import { root, run, startLocalRegistry } from "./local-registry.ts";

const TREE_BYTES_MAX = 25_000_000;

const registry = await startLocalRegistry();
const prefix = mkdtempSync(join(tmpdir(), "lectern-prefix-"));
const environment = { ...process.env, ...registry.environment };
await run("npm", ["install", "--global", "--prefix", prefix, registry.tarball], { env: environment });
after(async () => {
  rmSync(prefix, { recursive: true, force: true });
  await registry[Symbol.asyncDispose]();
});

const installed = join(prefix, "lib/node_modules/lectern");
/** As a user's shell finds it, but run by the Node of this test. */
const lectern = {
  L: join(prefix, "bin/lectern"),
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
};

async function ok(home: CliHome, script: string): Promise<string> {
  const { code, stdout, stderr } = await home.shell(script, lectern);
  assert.equal(code, 0, `${script}: ${stderr}`);
  return stdout;
}

test("an installation is at most 25 MB in at most 10 packages, and has the licenses of what is bundled", () => {
  const files = globSync("**/*", { cwd: prefix }).map((file) => lstatSync(join(prefix, file)));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  assert.ok(bytes > 10_000_000 && bytes <= TREE_BYTES_MAX, `${bytes} bytes`);
  const packages = globSync("**/node_modules/{*,@*/*}/package.json", { cwd: prefix });
  assert.ok(packages.length <= 10, packages.join("\n"));
  for (const place of ["", "ui"]) {
    assert.match(readFileSync(join(installed, "dist", place, "LICENSES.md"), "utf8"), /MIT/, place);
  }
});

test("files that its README and documents name are in it", () => {
  for (const document of globSync("{*.md,docs/**/*.md}", { cwd: installed })) {
    const text = readFileSync(join(installed, document), "utf8").replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, "");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const isOnlyInClones = /^(?:\.\.\/)*(?:src|test|bench|development)\//.test(target);
      const file = join(installed, dirname(document), target);
      assert.ok(isOnlyInClones || existsSync(file), `${document}: ${target}`);
    }
  }
});

test("the installed command runs a session, reads it in each way, and ends", async () => {
  await using home = new CliHome();
  assert.match(await ok(home, "$L --version"), /^lectern \d+\.\d+\.\d+\+[0-9a-f]{12}$/m);
  await ok(home, "$L run -d --name work -- bash --norc");
  assert.equal(await ok(home, "$L exec work -- 'echo $((6 * 7))'"), "42\n");
  assert.match(await ok(home, "$L ls"), /work +running/);
  assert.match(await ok(home, "$L screen work"), /42/);
  assert.match(await ok(home, "$L logs --tail 3 work"), /42/);
  await ok(home, "$L screen work --png -o work.png");
  assert.equal(readFileSync(join(home.directory, "work.png")).toString("latin1", 1, 4), "PNG");
  assert.match(await ok(home, "$L doctor --json"), /"name": ?"daemon"/);
});

test("what only some use works in an installation: MCP, policies, agents' files, the wire, clusters, the page", async () => {
  await using home = new CliHome();
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  writeFileSync(join(home.directory, "hello.json"), `${JSON.stringify(hello)}\n`);
  assert.match(await ok(home, "$L mcp < hello.json"), /"serverInfo":\{"name":"lectern"/);
  assert.match(await ok(home, "$L policy explain coding 'git push --force' || true"), /git-push|force|ask|deny/);
  await ok(home, "$L agents show claude > mine.yaml && $L agents list");
  await ok(home, "$L run -d --name wired --wire --policy coding -- sleep 600");
  await ok(home, "$L cluster init --servers box.example --out servers");
  await ok(home, "$L down && $L up -d --port 0");
  const { listen = [] } = (await home.info()) ?? {};
  const address = listen.find((each) => each.startsWith("http"));
  assert.ok(address, listen.join(" "));
  const page = await (await fetch(address)).text();
  assert.match(page, /<script type="module"/);
});

test("stack traces name the sources", async () => {
  const script = `const { LecternClient } = await import(${JSON.stringify(join(installed, "dist/client.js"))});
    try {
      new LecternClient();
    } catch (error) {
      console.log(error.stack);
    }`;
  const words = ["--enable-source-maps", "--input-type=module", "--eval", script];
  assert.match((await run(process.execPath, words)).stdout, /\/src\/client\/client\.ts:\d+:\d+/);
});

test("entry points for browsers need nothing of Node", async () => {
  const script = `const { isBuiltin, registerHooks } = process.getBuiltinModule("node:module");
    registerHooks({
      resolve(specifier, context, next) {
        if (isBuiltin(specifier)) throw new Error(context.parentURL + " imports " + specifier);
        return next(specifier, context);
      },
    });
    delete globalThis.process;
    delete globalThis.Buffer;
    globalThis.window = globalThis;
    for (const name of ["client", "core", "gate", "llm", "patterns", "shell", "yaml"])
      await import(${JSON.stringify(`${join(installed, "dist")}/`)} + name + ".js");`;
  await run(process.execPath, ["--input-type=module", "--eval", script]);
});

test("npx runs the packed file without an installation", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-npx-"));
  try {
    const words = ["--yes", "--package", registry.tarball, "--", "lectern", "--version"];
    const { stdout } = await run("npx", words, { env: environment, cwd: directory });
    assert.match(stdout, /^lectern \d/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("a program imports each entry point, and the compiler accepts the declarations", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-user-"));
  try {
    const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
      exports: Record<string, unknown>;
    };
    const names = Object.keys(exports).filter((name) => name !== "./package.json");
    const lines = names.map((name, index) => `import * as entry${index} from "lectern${name.slice(1)}";`);
    const all = names.map((_, index) => `entry${index}`).join(", ");
    mkdirSync(join(directory, "node_modules/@types"), { recursive: true });
    symlinkSync(installed, join(directory, "node_modules/lectern"));
    for (const name of ["@types/node", "undici-types", "@trpc"]) {
      symlinkSync(join(root, "node_modules", name), join(directory, "node_modules", name));
    }
    const code = `${lines.join("\n")}\nconsole.log([${all}].map((each) => Object.keys(each).length).join(" "));\n`;
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
    writeFileSync(join(directory, "user.ts"), code);
    const flags = ["--preserve-symlinks", "--preserve-symlinks-main"];
    const { stdout } = await run(process.execPath, [...flags, "user.ts"], { cwd: directory });
    assert.ok(
      stdout
        .trim()
        .split(" ")
        .every((count) => Number(count) > 0),
      stdout,
    );
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--preserveSymlinks",
      "--types",
      "node",
    ];
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, "user.ts"], {
      cwd: directory,
    });
  } catch (error) {
    assert.fail(`${String(error)}\n${(error as { stdout?: string }).stdout ?? ""}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
