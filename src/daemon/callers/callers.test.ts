import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import type { CallerOrigin, InsideOrigin, WantedAction } from "../service.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import type { Store } from "../store/store.ts";
import { Callers } from "./callers.ts";
import { readOptions } from "../../protocol/session-options.ts";

const store = { putSession: async () => undefined } as unknown as Store;

/** The sessions "free", "gated" with a policy, and the workplace "desk"; ids are names. */
async function callersWith(rows: AuditRow[] = []): Promise<Callers> {
  const registry = new SessionRegistry(store);
  for (const name of ["free", "gated", "desk"]) {
    const given = {
      id: name,
      name,
      command: ["sh"],
      workingDirectory: "/",
      options: readOptions({ mine: name === "desk" }).options,
    } as const;
    await registry.add(SessionEntry.fresh(given, "/nowhere"));
  }
  const policy = {
    policy: "version: 1",
    upstreams: {},
    askOnce: true,
    approvalMs: 1000,
    home: null,
    mustGate: false,
  } as const;
  return new Callers({
    agents: () => builtInAgents,
    audit: { append: async (more) => void rows.push(...more) },
    onError: assert.ifError,
    processes: {
      ledBy: () => undefined,
      ofKernelSession: () => undefined,
      isHost: () => false,
      namedIn: () => undefined,
    },
    registry,
    wire: { givenPolicyOf: ({ id }) => (id === "gated" ? policy : undefined) },
  });
}

const inside = (session: string | null, facts: Partial<InsideOrigin> = {}): CallerOrigin => ({
  type: "inside",
  session,
  pid: 7,
  program: "curl",
  evidence: "ancestor",
  agent: null,
  ...facts,
});
const agent = { agent: "claude" };

const read = { operation: "sessions.get", scope: "read", person: false, session: "free" } as const;
const type = { operation: "sessions.input", scope: "write", person: false, session: "free" } as const;
const typeAtDesk = { ...type, session: "desk" } as const;
const answer = { operation: "approvals.answer", scope: "write", person: true, session: "free" } as const;
const actions = { read, type, typeAtDesk, answer };

test("what a caller may do depends on the session that it is in", async () => {
  const callers = await callersWith();
  const may = (origin: CallerOrigin | undefined): string => {
    const caller = { scope: "admin", session: null, ...(origin && { origin }) } as const;
    const isAllowed = (action: WantedAction): boolean => {
      try {
        callers.permit(caller, action);
        return true;
      } catch (error) {
        assert.equal((error as { code?: string }).code, "FORBIDDEN");
        return false;
      }
    };
    return Object.entries(actions)
      .flatMap(([name, action]) => (isAllowed(action) ? [name] : []))
      .join(" ");
  };
  const all = "read type typeAtDesk answer";
  assert.deepEqual(
    [undefined, { type: "outside" } as const, { type: "unchecked" } as const].map((origin) => may(origin)),
    [all, all, all],
  );
  assert.deepEqual(
    [inside("free"), inside("gated"), inside("desk"), inside("desk", agent), inside("removed"), inside(null)].map(may),
    ["read type", "read", all, "read type", "read", "read"],
  );
  assert.deepEqual(
    (["kernel-session", "environment", "pty-host", "unreadable"] as const).map((evidence) =>
      may(inside("desk", { evidence })),
    ),
    ["read type", "read type", "read type", "read type"],
  );
});

test("a process that was left behind in a workplace is refused with what to do instead", async () => {
  const callers = await callersWith();
  const refusal = (facts: Partial<InsideOrigin>): string => {
    const caller = { scope: "admin", session: null, origin: inside("desk", facts) } as const;
    try {
      callers.permit(caller, answer);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(
    refusal({ evidence: "kernel-session" }),
    /; do it in the foreground of that workplace, or in a terminal/,
  );
  for (const facts of [agent, { ...agent, evidence: "kernel-session" } as const]) {
    assert.match(
      refusal(facts),
      /^Cannot use "approvals.answer" from inside the agent "claude" .* outside Lectern, or/,
    );
  }
});

test("an answer is named by what is known of the caller, and what it says of itself is a note", async () => {
  const callers = await callersWith();
  const name = (given: object, note?: string): string =>
    callers.nameOf({ scope: "admin", session: null, ...given }, note);
  assert.deepEqual(
    [
      name({ origin: { type: "outside" } }, "anna"),
      name({ token: "phone" }),
      name({ origin: { type: "unchecked" } }),
      name({ origin: inside("desk") }),
    ],
    ["person (note: anna)", 'token "phone"', "user (process not checked)", "person in session desk, pid 7, curl"],
  );
});

test("refusals that come too often are counted in the next row", async (context: TestContext) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const rows: AuditRow[] = [];
  const callers = await callersWith(rows);
  const caller = { scope: "admin", session: null, origin: inside("free") } as const;
  for (let count = 0; count < 100; count++) assert.throws(() => callers.permit(caller, answer), { code: "FORBIDDEN" });
  assert.equal(rows.length, 60);
  context.mock.timers.tick(60_000);
  assert.throws(() => callers.permit(caller, answer), { code: "FORBIDDEN" });
  const last = rows.at(-1);
  assert.ok(last?.type === "decision");
  assert.match(last.evidence, /; 40 refusals before it are not written$/);
});
