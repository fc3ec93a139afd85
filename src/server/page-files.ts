/** The files of the web page, as the build left them: read when they are first asked for, and kept. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { LecternError } from "../core/errors.ts";
import { isHashedPath, isPagePath, isViewPath } from "../protocol/page-paths.ts";
import { pathOf } from "./guard.ts";
import { securityHeaders, type HttpExchange } from "./reply.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/**
 * No script but the page's own files, no text that becomes code (trusted types), nothing from elsewhere. Styles may be inline,
 * because the terminal makes its rules for colours and sizes at run time; see docs/decisions/page.md.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lectern",
].join("; ");

/** Below, the headers weigh more than what is saved. */
const GZIP_BYTES_MIN = 1024;
const compress = promisify(gzip);

interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  /** Undefined for what is compressed already. */
  readonly gzipped: (() => Promise<Buffer>) | undefined;
}

export class PageFiles {
  readonly #directory: string;
  readonly #files = new Map<string, PageFile>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Answers a request for the page; false where the path is none of its own or the file is not there. */
  async answer({ incoming, outgoing }: HttpExchange): Promise<boolean> {
    const path = pathOf(incoming.url ?? "/");
    const isRead = incoming.method === "GET" || incoming.method === "HEAD";
    const file = isRead && isPagePath(path) ? this.#find(isViewPath(path) ? "/index.html" : path) : undefined;
    if (file === undefined && isRead && isViewPath(path)) throw notBuilt();
    if (file === undefined) return false;
    const headers = {
      ...securityHeaders,
      "content-security-policy": contentSecurityPolicy,
      "content-type": file.type,
      "cache-control": file.cacheControl,
      etag: file.etag,
      vary: "accept-encoding",
    };
    if (incoming.headers["if-none-match"] === file.etag) {
      outgoing.writeHead(304, headers).end();
      return true;
    }
    const isSmaller = file.gzipped !== undefined && /\bgzip\b/.test(incoming.headers["accept-encoding"] ?? "");
    const body = isSmaller ? await file.gzipped() : file.bytes;
    const encoding = isSmaller ? { "content-encoding": "gzip" } : {};
    outgoing.writeHead(200, { ...headers, ...encoding, "content-length": String(body.length) });
    outgoing.end(incoming.method === "HEAD" ? undefined : body);
    return true;
  }

  #find(path: string): PageFile | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = readPageFile(this.#directory, path);
    // A page that was built anew under a running daemon is taken up at once: only what cannot change is kept.
    if (file !== undefined && isHashedPath(path)) this.#files.set(path, file);
    return file;
  }
}

const notBuilt = (): LecternError =>
  new LecternError(
    "NOT_FOUND",
    'Cannot show the web page: it is not built; run "npm run build:ui", then load it again',
  );

function readPageFile(directory: string, path: string): PageFile | undefined {
  const bytes = read(join(directory, path));
  if (bytes === undefined) return undefined;
  const extension = extname(path);
  const isText = bytes.length >= GZIP_BYTES_MIN && extension !== ".woff2" && extension !== ".png";
  let gzipped: Promise<Buffer> | undefined;
  return {
    bytes,
    type: types[extension] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    cacheControl: isHashedPath(path) ? "public, max-age=31536000, immutable" : "no-cache",
    gzipped: isText ? () => (gzipped ??= compress(bytes)) : undefined,
  };
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
