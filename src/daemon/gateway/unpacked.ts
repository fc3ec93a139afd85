/** Bodies as they were before they were packed for the way. */
import type { Readable } from "node:stream";
import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";
import { GatewayProblem } from "./gateway-problem.ts";

/** Each piece comes out as soon as it is there: a stream is not held back for the next. */
const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  "x-gzip": () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ flush: constants.ZSTD_e_flush }),
};

/** Encodings that one body may have, one in the other. */
const ENCODINGS_MAX = 3;

/** Throws `GatewayProblem` for an encoding that nobody asked for. */
export function unpacked(body: Readable, encoding: string | undefined): Readable {
  const names = (encoding ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const steps = names.toReversed().map((name) => unpackers[name]);
  if (steps.includes(undefined) || steps.length > ENCODINGS_MAX) {
    body.destroy();
    throw new GatewayProblem("upstream_malformed", 502, { message: `The answer is packed as "${names.join(", ")}"` });
  }
  let unpackedBody = body;
  for (const step of steps) {
    if (step === undefined) continue;
    // An error of either side ends both, and the reader of the last one sees it.
    unpackedBody = pipeline(unpackedBody, step(), () => undefined);
  }
  return unpackedBody;
}
