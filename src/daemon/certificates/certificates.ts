/**
 * Certificates, made with `openssl`, which Node cannot make: the one of Lectern itself, which no browser knows (a person compares its
 * fingerprint once), and those of a cluster's servers, by an authority of its own. A key is only ever in a file of mode 0600.
 */
import { X509Certificate, randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { unitMs } from "../../core/waits.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LecternError } from "../../core/errors.ts";
import { createPrivateFile } from "../../host/private-directory.ts";

/** Apple's systems refuse one that is good for longer. */
const OWN_DAYS = 397;
/** One that ends sooner is made again. */
const RENEW_DAYS = 30;
const CLUSTER_DAYS = 3650;
const RUN_MS_MAX = 20_000;

const run = promisify(execFile);

export interface CertificateFiles {
  /** PEM; the certificate first, then those that signed it. */
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * The files `tls/own.crt` and `tls/own.key` in the data directory, made if there are none, if they end soon, or if they lack one of `names` (names
 * and addresses). A remade one has another fingerprint. Throws `COMMAND_NOT_FOUND` without `openssl`.
 */
export async function ownCertificate(dataDirectory: string, names: readonly string[]): Promise<CertificateFiles> {
  const directory = join(dataDirectory, "tls");
  const files = { certificateFile: join(directory, "own.crt"), keyFile: join(directory, "own.key") };
  if (isFit(files, names)) return files;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [newCertificate, newKeyFile] = [`${files.certificateFile}.new`, `${files.keyFile}.new`];
  // OpenSSL keeps the mode of a file that exists.
  writeFileSync(newKeyFile, "", { mode: 0o600 });
  chmodSync(newKeyFile, 0o600);
  const all = new Set([...names, hostname(), "localhost", "127.0.0.1", "::1"]);
  await withSettings(directory, { names: [...all], usage: "serverAuth" }, async (settings) => {
    const request = ["req", "-x509", "-config", settings, "-extensions", "server", "-subj", "/CN=Lectern"];
    const out = ["-days", `${OWN_DAYS}`, "-keyout", newKeyFile, "-out", newCertificate];
    await openssl([...request, ...newKey, ...out], directory);
    renameSync(newKeyFile, files.keyFile);
    renameSync(newCertificate, files.certificateFile);
  });
  return files;
}

function isFit({ certificateFile, keyFile }: CertificateFiles, names: readonly string[]): boolean {
  try {
    readFileSync(keyFile);
    const certificate = new X509Certificate(readFileSync(certificateFile));
    const endsSoon = new Date(certificate.validTo).getTime() < Date.now() + RENEW_DAYS * unitMs.d;
    const has = (name: string): boolean =>
      (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
    return !endsSoon && names.every(has);
  } catch {
    return false;
  }
}

/** A new key on P-256, without a passphrase. */
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** Runs a command in a directory. Throws `COMMAND_NOT_FOUND` without `openssl`. */
async function openssl(command: readonly string[], directory: string): Promise<void> {
  try {
    await run("openssl", command, { cwd: directory, timeout: RUN_MS_MAX });
  } catch (cause) {
    const { code, stderr } = cause as { code?: unknown; stderr?: string };
    if (code === "ENOENT") {
      throw new LecternError(
        "COMMAND_NOT_FOUND",
        'Cannot make certificates without "openssl": install it, for example with "apt install openssl"',
        { cause },
      );
    }
    const why = stderr?.trim().split("\n").at(-1) ?? (cause as Error).message;
    throw new LecternError("INTERNAL", `Cannot make certificates: "openssl ${command[0]}" failed: ${why}`, { cause });
  }
}

/** Makes `ca.crt` and `ca.key` in a directory. Throws `COMMAND_NOT_FOUND` without `openssl`. */
export async function makeAuthority(directory: string): Promise<void> {
  createPrivateFile(join(directory, "ca.key"), "");
  await withSettings(directory, clusterServer("localhost"), async (settings) => {
    const files = ["-keyout", "ca.key", "-out", "ca.crt"];
    const request = ["req", "-x509", "-config", settings, "-extensions", "authority", "-subj", "/CN=Lectern cluster"];
    await openssl([...request, ...newKey, "-days", `${CLUSTER_DAYS}`, ...files], directory);
  });
}

/** Makes `server.crt` and `server.key` in `directory` for a host name or address, signed by the authority in `authorityDirectory`. */
export async function makeServerCertificate(
  directory: string,
  host: string,
  authorityDirectory: string,
): Promise<void> {
  createPrivateFile(join(directory, "server.key"), "");
  await withSettings(directory, clusterServer(host), async (settings) => {
    const request = ["req", "-new", "-config", settings, "-subj", "/CN=Lectern cluster server"];
    await openssl([...request, ...newKey, "-keyout", "server.key", "-out", "server.csr"], directory);
    const authority = ["-CA", join(authorityDirectory, "ca.crt"), "-CAkey", join(authorityDirectory, "ca.key")];
    const serial = ["-set_serial", `0x${randomBytes(8).toString("hex")}`];
    const extensions = ["-extfile", settings, "-extensions", "server"];
    const files = ["-in", "server.csr", "-out", "server.crt"];
    await openssl(
      ["x509", "-req", "-days", `${CLUSTER_DAYS}`, ...authority, ...serial, ...extensions, ...files],
      directory,
    );
  });
  rmSync(join(directory, "server.csr"));
}

interface ServerSettings {
  /** Names and addresses of the server. */
  readonly names: readonly string[];
  readonly usage: string;
}

const clusterServer = (host: string): ServerSettings => ({
  // For an address, the client library compares with "localhost"; only servers of this cluster have a certificate of this authority.
  names: isIP(host) === 0 ? [host] : [host, "localhost"],
  // Servers are clients of each other.
  usage: "serverAuth, clientAuth",
});

/** Own settings, so that nothing depends on those of the system. */
async function withSettings(
  directory: string,
  { names, usage }: ServerSettings,
  use: (file: string) => Promise<void>,
): Promise<void> {
  const file = join(directory, "openssl.cnf");
  writeFileSync(
    file,
    [
      "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\nCN = Lectern",
      "[authority]\nbasicConstraints = critical, CA:TRUE, pathlen:0\nkeyUsage = critical, keyCertSign, cRLSign",
      "subjectKeyIdentifier = hash",
      "[server]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature",
      `subjectAltName = ${names.map((name) => `${isIP(name) === 0 ? "DNS" : "IP"}:${name}`).join(", ")}`,
      `extendedKeyUsage = ${usage}\n`,
    ].join("\n"),
  );
  try {
    await use(file);
  } finally {
    rmSync(file, { force: true });
  }
}
