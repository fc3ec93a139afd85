/** The certificate that Lectern makes for itself, which no browser knows: a person compares its fingerprint once. */
import { X509Certificate } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { unitMs } from "../../core/waits.ts";
import { newKey, openssl } from "./openssl.ts";

/** Apple's systems refuse one that is good for longer. */
const VALID_DAYS = 397;
/** One that ends sooner is made again. */
const RENEW_DAYS = 30;

export interface OwnCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * The files `tls/own.crt` and `tls/own.key` in the data directory, made if there are none, if they end soon, or if they lack one of `names` (names
 * and addresses). A remade one has another fingerprint. Throws `COMMAND_NOT_FOUND` without `openssl`.
 */
export async function ownCertificate(dataDirectory: string, names: readonly string[]): Promise<OwnCertificate> {
  const directory = join(dataDirectory, "tls");
  const files = { certificateFile: join(directory, "own.crt"), keyFile: join(directory, "own.key") };
  if (isFit(files, names)) return files;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const all = new Set([...names, hostname(), "localhost", "127.0.0.1", "::1"]);
  const settings = join(directory, "openssl.cnf");
  const [newCertificate, newKeyFile] = [`${files.certificateFile}.new`, `${files.keyFile}.new`];
  // OpenSSL keeps the mode of a file that exists.
  writeFileSync(newKeyFile, "", { mode: 0o600 });
  chmodSync(newKeyFile, 0o600);
  writeFileSync(settings, settingsFor([...all]));
  try {
    const request = ["req", "-x509", "-config", settings, "-extensions", "server", "-subj", "/CN=Lectern"];
    const out = ["-days", `${VALID_DAYS}`, "-keyout", newKeyFile, "-out", newCertificate];
    await openssl([...request, ...newKey, ...out], directory);
    renameSync(newKeyFile, files.keyFile);
    renameSync(newCertificate, files.certificateFile);
  } finally {
    rmSync(settings, { force: true });
  }
  return files;
}

function isFit({ certificateFile, keyFile }: OwnCertificate, names: readonly string[]): boolean {
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

/** Own settings, so that nothing depends on those of the system. */
const settingsFor = (names: readonly string[]): string =>
  [
    "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\nCN = Lectern",
    "[server]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature",
    `subjectAltName = ${names.map((name) => `${isIP(name) === 0 ? "DNS" : "IP"}:${name}`).join(", ")}`,
    "extendedKeyUsage = serverAuth\n",
  ].join("\n");
