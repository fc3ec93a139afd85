/** Prompts and their receipts. */
import { randomUUID } from "node:crypto";
import { LecternError } from "../../core/errors.ts";
import { isFinal, type Receipt } from "../../core/prompts/receipt.ts";
import type { JsonHandlers } from "../service.ts";
import type { Daemon } from "./context.ts";

type PromptingHandlers = Pick<
  JsonHandlers,
  "sessions.prompt" | "sessions.cancel" | "sessions.receipts" | "sessions.receipt"
>;

export function promptingHandlers({ prompts, registry }: Daemon): PromptingHandlers {
  const settle = async (receipt: Receipt, waitMs: number, signal: AbortSignal): Promise<Receipt> => {
    if (waitMs === 0) return receipt;
    const stop = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    const settled = await prompts.settled(receipt.session, receipt.key, stop);
    if (!isFinal(settled)) signal.throwIfAborted();
    return settled;
  };
  return {
    "sessions.prompt": async ({ session, text, key = randomUUID(), waitMs }, { signal }) =>
      await settle(await prompts.accept(registry.resolve(session), key, text), waitMs, signal),
    "sessions.cancel": async ({ session, key }) => await prompts.cancel(registry.resolve(session), key),
    "sessions.receipts": async ({ session }) => ({ receipts: prompts.of(registry.resolve(session).id) }),
    "sessions.receipt": async ({ session, key, waitMs }, { signal }) => {
      const receipt = prompts.get(registry.resolve(session).id, key);
      if (receipt !== undefined) return await settle(receipt, waitMs, signal);
      throw new LecternError("NOT_FOUND", `Cannot find a prompt with the key "${key}" in this session`);
    },
  };
}
