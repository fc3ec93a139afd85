/** Sends input without waiting for the answer to each key, which shortens the time to the echo. */
import type { Attachment } from "../../client/attachment.ts";
import { LecternError } from "../../core/errors.ts";

/** Limit of unconfirmed input; above it, standard input is not read. */
const IN_FLIGHT_BYTES_MAX = 262_144;

/** Refused input is reported as an item of the attachment; `onUncertain` reports input that may or may not have been typed. */
export class PipelinedInput {
  readonly #attachment: Pick<Attachment, "write" | "ended">;
  readonly #onUncertain: (message: string) => void;
  #bytes = 0;

  constructor(attachment: Pick<Attachment, "write" | "ended">, onUncertain: (message: string) => void) {
    this.#attachment = attachment;
    this.#onUncertain = onUncertain;
  }

  async type(bytes: Uint8Array): Promise<void> {
    this.#bytes += bytes.length;
    const taken = this.#attachment
      .write(bytes)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => (this.#bytes -= bytes.length));
    if (this.#bytes > IN_FLIGHT_BYTES_MAX) await taken;
  }

  #failed(error: unknown): void {
    if (this.#attachment.ended !== undefined || !(error instanceof LecternError)) return;
    if (error.details["mayBeTyped"] === true) this.#onUncertain(error.message);
  }
}
