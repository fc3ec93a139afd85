/** One connection of a member, as an attacker with its key would use it: nothing of Lectern is between it and the server. */
import { connect, nkeyAuthenticator, PermissionViolationError, type NatsConnection } from "@nats-io/transport-node";
import type { MemberToken } from "../../src/features/cluster/daemon/member-token.ts";
import { inboxPrefix } from "../../src/features/cluster/daemon/subjects.ts";
import { until } from "./until.ts";

export class NatsMember implements AsyncDisposable {
  readonly connection: NatsConnection;
  readonly #refused: string[] = [];

  private constructor(connection: NatsConnection) {
    this.connection = connection;
    void this.#watch();
  }

  static async connect({ authority, name, seed, servers }: MemberToken): Promise<NatsMember> {
    return new NatsMember(
      await connect({
        servers: [...servers],
        authenticator: nkeyAuthenticator(Buffer.from(seed)),
        inboxPrefix: inboxPrefix(name),
        tls: { ca: authority ?? "" },
      }),
    );
  }

  /** As soon as the servers have read that there is such a member. */
  static async connectSoon(token: MemberToken): Promise<NatsMember> {
    const found: NatsMember[] = [];
    await until(async () => {
      const member = await NatsMember.connect(token).catch(() => undefined);
      if (member !== undefined) found.push(member);
      return member !== undefined;
    }, "the servers know the member");
    const [member] = found;
    if (member === undefined) throw new Error("the member was just connected");
    return member;
  }

  /** The server answers in order, so what it refuses is known before its next answer. */
  async mayPublish(
    subject: string,
    payload = "x",
    options: Parameters<NatsConnection["publish"]>[2] = {},
  ): Promise<boolean> {
    this.#refused.length = 0;
    this.connection.publish(subject, payload, options);
    return this.#wasAccepted(subject);
  }

  async maySubscribe(subject: string): Promise<boolean> {
    this.#refused.length = 0;
    const subscription = this.connection.subscribe(subject, { callback: () => {} });
    const accepted = await this.#wasAccepted(subject);
    if (accepted) subscription.unsubscribe();
    return accepted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
  }

  async #wasAccepted(subject: string): Promise<boolean> {
    await this.connection.flush();
    await new Promise((resolve) => setImmediate(resolve));
    return !this.#refused.includes(subject);
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError)
        this.#refused.push(status.error.subject);
    }
  }
}
