// Installs the packages of development/package.json, which `npm ci` leaves out, and any other package of the lock that is missing.
// Does nothing if all of them are there. Runs before anything else, so on whichever Node the machine has.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const words = ["npm", "install", "--workspaces", "--include-workspace-root", "--no-save"];
const readJson = (file) => JSON.parse(readFileSync(new URL(file, root), "utf8"));

function installedVersion(directory) {
  try {
    return readJson(`${directory}/package.json`).version;
  } catch {
    return undefined;
  }
}

/** Optional packages are binaries for one platform each: npm installs the right one together with the package that uses it. */
const isMissing = ([directory, { link, optional, version }]) =>
  directory.includes("node_modules/") && !link && !optional && installedVersion(directory) !== version;

const countMissing = () => Object.entries(readJson("package-lock.json").packages).filter(isMissing).length;

const missing = countMissing();
if (missing > 0) {
  console.log(
    `development-packages: packages that tests, checks and packaging need are missing, installing: ${missing}`,
  );
  const [command, ...options] = words;
  const { status, stderr } = spawnSync(command, [...options, "--prefer-offline"], {
    cwd: fileURLToPath(root),
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0 || countMissing() > 0) {
    const cause = /^npm error code (\S+)/m.exec(stderr ?? "")?.[1] ?? `npm ended with ${status}`;
    console.error(
      `development-packages: Cannot install the missing packages (${cause}): make the npm registry reachable, then run "${words.join(" ")}"`,
    );
    process.exitCode = 1;
  }
}
