/** One daemon for the tests of a file, one after the other, that need none of their own. */
import { after } from "node:test";
import { TemporaryDaemon } from "./temporary-daemon.ts";

export class SharedDaemon {
  #daemon: Promise<TemporaryDaemon> | undefined;

  constructor() {
    after(async () => await (await this.#daemon)?.[Symbol.asyncDispose]());
  }

  /** The daemon without the sessions of earlier tests. */
  async empty(): Promise<TemporaryDaemon> {
    this.#daemon ??= TemporaryDaemon.start();
    const daemon = await this.#daemon;
    const { sessions } = await daemon.call("sessions.list", {});
    await Promise.all(sessions.map(({ id }) => daemon.call("sessions.remove", { session: id, force: true })));
    return daemon;
  }
}
