/** The certificate of a TLS listener, from its files. Nothing is served with one that browsers would refuse without saying why. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import type { CertificateFiles } from "../daemon/certificates/certificates.ts";

export interface LoadedCertificate extends CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** SHA-256 in hexadecimal with colons, as browsers show it. */
  readonly fingerprint: string;
  readonly validTo: Date;
}

/** Throws `INVALID_INPUT` with the next step. */
export function loadCertificate({ certificateFile, keyFile }: CertificateFiles): LoadedCertificate {
  const certificate = readPem(certificateFile, "certificate");
  const key = readPem(keyFile, "key");
  const parsed = parsedAs("certificate", certificateFile, () => new X509Certificate(certificate));
  const privateKey = parsedAs("key", keyFile, (): KeyObject => createPrivateKey(key));
  if (!parsed.checkPrivateKey(privateKey)) {
    const next = "give the two files that were made together";
    throw refused(`Cannot use the certificate "${certificateFile}": it does not match the key "${keyFile}"; ${next}`);
  }
  const validTo = new Date(parsed.validTo);
  const next = 'renew it, then run "lectern reload", or "lectern up" if no daemon runs';
  if (validTo.getTime() <= Date.now())
    throw refused(`Cannot use the certificate "${certificateFile}": it ended at ${validTo.toISOString()}; ${next}`);
  const validFrom = new Date(parsed.validFrom);
  if (validFrom.getTime() > Date.now()) {
    const why = `it begins at ${validFrom.toISOString()}`;
    throw refused(`Cannot use the certificate "${certificateFile}": ${why}; check the clock of this machine`);
  }
  return { certificateFile, keyFile, certificate, key, fingerprint: parsed.fingerprint256, validTo };
}

function readPem(path: string, what: "certificate" | "key"): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : message;
    throw refused(`Cannot read the ${what} "${path}": ${why}`, cause);
  }
}

function parsedAs<Parsed>(what: "certificate" | "key", path: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (cause) {
    const isOther = what === "key" ? "it is not a private key in PEM without a passphrase" : "it is not one in PEM";
    throw refused(`Cannot use the ${what} "${path}": ${isOther}`, cause);
  }
}

const refused = (message: string, cause?: unknown): LecternError =>
  new LecternError("INVALID_INPUT", message, { cause });
