/** Certificates of the servers, by an authority of the cluster's own. Made with `openssl`; a key is only ever in a file of mode 0600. */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { newKey, openssl } from "../certificates/openssl.ts";
import { createPrivateFile } from "../secure-directory.ts";

const VALID_DAYS = 3650;

/** Makes `ca.crt` and `ca.key` in a directory. Throws `COMMAND_NOT_FOUND` without `openssl`. */
export async function makeAuthority(directory: string): Promise<void> {
  createPrivateFile(join(directory, "ca.key"), "");
  await withSettings(directory, "localhost", async (settings) => {
    const files = ["-keyout", "ca.key", "-out", "ca.crt"];
    const request = ["req", "-x509", "-config", settings, "-extensions", "authority", "-subj", "/CN=Lectern cluster"];
    await openssl([...request, ...newKey, "-days", `${VALID_DAYS}`, ...files], directory);
  });
}

/** Makes `server.crt` and `server.key` in `directory` for a host name or address, signed by the authority in `authorityDirectory`. */
export async function makeServerCertificate(
  directory: string,
  host: string,
  authorityDirectory: string,
): Promise<void> {
  createPrivateFile(join(directory, "server.key"), "");
  await withSettings(directory, host, async (settings) => {
    const request = ["req", "-new", "-config", settings, "-subj", "/CN=Lectern cluster server"];
    await openssl([...request, ...newKey, "-keyout", "server.key", "-out", "server.csr"], directory);
    const authority = ["-CA", join(authorityDirectory, "ca.crt"), "-CAkey", join(authorityDirectory, "ca.key")];
    const serial = ["-set_serial", `0x${randomBytes(8).toString("hex")}`];
    const extensions = ["-extfile", settings, "-extensions", "server"];
    const files = ["-in", "server.csr", "-out", "server.crt"];
    await openssl(
      ["x509", "-req", "-days", `${VALID_DAYS}`, ...authority, ...serial, ...extensions, ...files],
      directory,
    );
  });
  rmSync(join(directory, "server.csr"));
}

/** Own settings, so that nothing depends on those of the system. */
async function withSettings(directory: string, host: string, use: (file: string) => Promise<void>): Promise<void> {
  const file = join(directory, "openssl.cnf");
  // For an address, the client library compares with "localhost"; only servers of this cluster have a certificate of this authority.
  const name = isIP(host) === 0 ? `DNS:${host}` : `IP:${host}, DNS:localhost`;
  writeFileSync(
    file,
    [
      "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\nCN = Lectern",
      "[authority]\nbasicConstraints = critical, CA:TRUE, pathlen:0\nkeyUsage = critical, keyCertSign, cRLSign",
      "subjectKeyIdentifier = hash",
      `[server]\nbasicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\nsubjectAltName = ${name}`,
      // Servers are clients of each other.
      "extendedKeyUsage = serverAuth, clientAuth\n",
    ].join("\n"),
  );
  try {
    await use(file);
  } finally {
    rmSync(file);
  }
}
