/** A package registry on 127.0.0.1 with the installed dependencies, packed again: an installation from it needs no network. */
import { execFile } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

export const root = resolve(import.meta.dirname, "../..");
export const run = promisify(execFile);

interface PackageFile {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** As `npm pack --json` reports it. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly integrity: string;
}

export interface LocalRegistry extends AsyncDisposable {
  /** The packed file of Lectern. */
  readonly tarball: string;
  /** For npm: this registry, and a cache of its own. */
  readonly environment: Readonly<Record<string, string>>;
}

const readPackage = (directory: string): PackageFile =>
  JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as PackageFile;

/** The directories of what a package needs at run time, without packages for other platforms, which are not installed here. */
function dependenciesOf(directory: string, found = new Set<string>()): Set<string> {
  const { dependencies, optionalDependencies } = readPackage(directory);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const other = join(root, "node_modules", name);
    if (found.has(other) || !existsSync(other)) continue;
    found.add(other);
    dependenciesOf(other, found);
  }
  return found;
}

/** Packs Lectern as it was built, and its dependencies. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const directory = mkdtempSync(join(tmpdir(), "lectern-registry-"));
  const cache = { npm_config_cache: join(directory, "cache"), npm_config_update_notifier: "false" };
  const dependencies = [...dependenciesOf(root)];
  const { stdout } = await run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", directory, root, ...dependencies],
    { env: { ...process.env, ...cache }, maxBuffer: 64_000_000, cwd: directory },
  );
  const packed = JSON.parse(stdout) as Packed[] | Record<string, Packed>;
  const byName = new Map(Object.values(packed).map((each) => [each.name, each]));

  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").slice(1));
    const tarball = globSync("*.tgz", { cwd: directory }).find((name) => name === path);
    const found = byName.get(path);
    if (tarball !== undefined) return void response.end(readFileSync(join(directory, tarball)));
    if (found === undefined) return void response.writeHead(404).end("{}");
    const { version, ...rest } = readPackage(join(root, "node_modules", found.name));
    const dist = { tarball: `http://${request.headers.host}/${found.filename}`, integrity: found.integrity };
    const document = {
      name: found.name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...rest, version, dist } },
    };
    return void response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    tarball: join(directory, byName.get(readPackage(root).name)?.filename ?? ""),
    environment: {
      ...cache,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_audit: "false",
      npm_config_fund: "false",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
