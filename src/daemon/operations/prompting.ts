import { randomUUID } from "node:crypto";
import { promptText } from "../../core/acting/box-text.ts";
import { LecternError } from "../../core/errors.ts";
import { isFinal, type AnsweredReceipt } from "../../core/acting/receipt.ts";
import type { Schedule } from "../../core/acting/schedule.ts";
import type { InputOf } from "../../protocol/operations.ts";
import type { Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";

type PromptingHandlers = Pick<
  Handlers,
  "sessions.prompt" | "sessions.cancel" | "sessions.receipts" | "sessions.receipt"
>;

interface Wait {
  /** 0: the receipt as it is now. */
  readonly ms: number;
  readonly throughQuestions: boolean;
  readonly signal: AbortSignal;
}

export function promptingHandlers({ prompts, registry }: Pick<Daemon, "prompts" | "registry">): PromptingHandlers {
  const settle = async (session: string, key: string, wait: Wait): Promise<AnsweredReceipt> => {
    const entry = registry.resolve(session);
    const stop = wait.ms === 0 ? AbortSignal.abort() : AbortSignal.any([wait.signal, AbortSignal.timeout(wait.ms)]);
    const settled = await prompts.settled(entry, key, { signal: stop, throughQuestions: wait.throughQuestions });
    if (wait.ms > 0 && !isFinal(settled) && settled.asks === null) wait.signal.throwIfAborted();
    return settled;
  };
  return {
    "sessions.prompt": async (input, { signal }) => {
      const {
        session,
        key = randomUUID(),
        waitMs,
        whenEmpty,
        throughQuestions,
        literal: isLiteral,
        force: isForced,
        shell: isForShell,
      } = input;
      const schedule = scheduleOf(input);
      const text = promptText(input.text);
      const prompt = { key, text, whenEmpty, isLiteral, isForced, isForShell, schedule };
      const receipt = await prompts.accept(registry.resolve(session), prompt);
      return await settle(receipt.session, key, { ms: waitMs, throughQuestions, signal });
    },
    "sessions.cancel": async ({ session, key }) => await prompts.cancel(registry.resolve(session), key),
    "sessions.receipts": async ({ session }) => ({ receipts: prompts.of(registry.resolve(session).id) }),
    "sessions.receipt": async ({ session, key, waitMs, throughQuestions }, { signal }) => {
      return await settle(session, key, { ms: waitMs, throughQuestions, signal });
    },
  };
}

function scheduleOf({
  dueUs,
  afterLimit,
}: Pick<InputOf<"sessions.prompt">, "dueUs" | "afterLimit">): Schedule | undefined {
  if (dueUs !== undefined && afterLimit === true)
    throw new LecternError(
      "INVALID_INPUT",
      "Cannot schedule the prompt for two times: give either dueUs or afterLimit",
    );
  if (dueUs !== undefined) return { dueUs };
  return afterLimit === true ? { afterLimit: true } : undefined;
}
