/** What a member of a cluster may publish and read, tried on a real server with the key of the member and nothing else. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { headers } from "@nats-io/transport-node";
import { readRequestSubject } from "../src/features/cluster/daemon/subjects.ts";
import { NatsMember } from "./support/nats-member.ts";
import { NatsServers } from "./support/nats-servers.ts";

let servers: NatsServers;
let box: NatsMember;
let laptop: NatsMember;
let eye: NatsMember;
let other: NatsMember;

before(async () => {
  servers = await NatsServers.start(1, { box: "machine", laptop: "operator", eye: "viewer", other: "machine" });
  [box, laptop, eye, other] = await Promise.all([
    NatsMember.connect(servers.token("box")),
    NatsMember.connect(servers.token("laptop")),
    NatsMember.connect(servers.token("eye")),
    NatsMember.connect(servers.token("other")),
  ]);
});

after(async () => {
  await Promise.all([box, laptop, eye, other].map(async (member) => member[Symbol.asyncDispose]()));
  await servers[Symbol.asyncDispose]();
});

/** What nobody but the administrator may do. */
const forAll = [
  "$JS.API.STREAM.CREATE.evil",
  "$JS.API.STREAM.UPDATE.KV_lec_machines",
  "$JS.API.STREAM.DELETE.KV_lec_machines",
  "$JS.API.STREAM.PURGE.KV_lec_machines",
  "$JS.API.STREAM.DELETE.LEC_J_box",
  "$JS.API.STREAM.UPDATE.LEC_J_box",
  "$JS.API.CONSUMER.CREATE.LEC_J_box",
  "$JS.API.DIRECT.GET.LEC_J_box",
  "$JS.API.STREAM.MSG.DELETE.KV_lec_machines",
  "$JS.API.STREAM.SNAPSHOT.KV_lec_machines",
  "$JS.API.STREAM.RESTORE.KV_lec_machines",
  "$JS.API.STREAM.LIST",
  "$JS.API.STREAM.NAMES",
  "$JS.API.CONSUMER.CREATE.KV_lec_machines",
  "$JS.API.CONSUMER.CREATE.KV_lec_machines.c.$KV.lec_machines.box",
  "$JS.API.CONSUMER.DURABLE.CREATE.KV_lec_machines.c",
  "$JS.API.CONSUMER.MSG.NEXT.KV_lec_machines.c",
  "$JS.API.DIRECT.GET.KV_lec_machines",
  "$JS.API.DIRECT.GET.KV_lec_machines.$KV.lec_machines.box",
  "$SYS.REQ.SERVER.PING",
  "_INBOX.laptop.x",
  "_INBOX.x",
  "lec.x",
  "anything",
];

const forbiddenPublishes: readonly (readonly [string, () => NatsMember, readonly string[]])[] = [
  [
    "a machine",
    () => box,
    [
      "$KV.lec_machines.other",
      "$KV.lec_machines.laptop",
      "lec.req.other.read.box",
      "lec.req.other.write.box",
      "lec.req.box.write.laptop",
      "lec.req.other.write.laptop",
      "lec.req.other.admin.box",
      "lec.tun.other.laptop.1",
      "lec.tun.laptop.other.1",
      "lec.j.other.abcdefghij",
      "lec.s.other.abcdefghij",
      "$JS.API.STREAM.PURGE.LEC_J_other",
      "$JS.API.STREAM.MSG.GET.LEC_J_other",
      "$JS.API.STREAM.INFO.LEC_J_other",
    ],
  ],
  [
    "a viewer",
    () => eye,
    [
      "$KV.lec_machines.eye",
      "lec.j.eye.abcdefghij",
      "lec.j.box.abcdefghij",
      "lec.s.box.abcdefghij",
      "$JS.API.STREAM.PURGE.LEC_J_box",
      "$KV.lec_machines.box",
      "lec.req.box.write.eye",
      "lec.req.box.admin.eye",
      "lec.req.box.read.laptop",
      "lec.tun.laptop.box.1",
      "lec.tun.box.laptop.1",
    ],
  ],
  [
    "an operator",
    () => laptop,
    ["$KV.lec_machines.box", "lec.req.box.admin.laptop", "lec.req.box.write.eye", "lec.tun.box.laptop.1"],
  ],
];

for (const [who, member, subjects] of forbiddenPublishes) {
  for (const subject of [...subjects, ...forAll]) {
    test(`${who} may not publish ${subject}`, async () => {
      assert.equal(await member().mayPublish(subject), false);
    });
  }
}

const forbiddenReads = [
  ">",
  "lec.>",
  "lec.req.other.*.*",
  "lec.req.*.*.*",
  "lec.tun.>",
  "lec.tun.*.other.*",
  "lec.tun.*.*.*",
];
const inboxes = ["_INBOX.>", "_INBOX.*.>", "_INBOX.other.>", "$JS.>", "$JS.API.>", "$SYS.>", "$KV.>", "$KV.other.>"];

for (const [who, member] of [
  ["a machine", () => box],
  ["a viewer", () => eye],
  ["an operator", () => laptop],
] as const) {
  for (const subject of [...forbiddenReads, ...inboxes]) {
    test(`${who} may not subscribe to ${subject}`, async () => {
      assert.equal(await member().maySubscribe(subject), false);
    });
  }
}

test("a viewer answers no requests", async () => {
  assert.equal(await eye.maySubscribe("lec.req.eye.*.*"), false);
});

test("each member may do what its role is for", async () => {
  assert.equal(await box.mayPublish("$KV.lec_machines.box"), true);
  assert.equal(await box.mayPublish("lec.tun.box.laptop.1"), true);
  assert.equal(await box.mayPublish("lec.j.box.abcdefghij"), true);
  assert.equal(await box.mayPublish("lec.s.box.abcdefghij"), true);
  for (const member of [box, laptop, eye]) {
    assert.equal(await member.mayPublish("$JS.API.STREAM.MSG.GET.LEC_J_box", "{}"), true);
    assert.equal(await member.mayPublish("$JS.API.STREAM.INFO.LEC_J_box", ""), true);
  }
  assert.equal(await box.maySubscribe("lec.req.box.*.*"), true);
  assert.equal(await laptop.mayPublish("lec.req.box.read.laptop"), true);
  assert.equal(await laptop.mayPublish("lec.req.box.write.laptop"), true);
  assert.equal(await eye.mayPublish("lec.req.box.read.eye"), true);
  for (const member of [box, laptop, eye]) assert.equal(await member.maySubscribe("$KV.lec_machines.*"), true);
});

test("a machine cannot answer to where it was not asked, so nobody can make it publish in its name", async () => {
  const received: string[] = [];
  const answered = Promise.withResolvers<boolean>();
  const answering = box.connection.subscribe("lec.req.box.*.*", {
    callback: (_, message) => answered.resolve(message.respond("answer")),
  });
  const listening = other.connection.subscribe("lec.req.other.*.*", {
    callback: (_, { subject }) => void received.push(subject),
  });
  await Promise.all([box.connection.flush(), other.connection.flush()]);
  assert.equal(await eye.mayPublish("lec.req.box.read.eye", "x", { reply: "lec.req.other.write.laptop" }), true);
  assert.equal(await answered.promise, true);
  // A server takes and delivers in order.
  for (const { connection } of [box, other]) await connection.flush();
  assert.deepEqual(received, []);
  answering.unsubscribe();
  listening.unsubscribe();
});

test("a row that is read to the subject of another member does not become a request of its own form", async () => {
  const received: { subject: string; text: string }[] = [];
  const listening = other.connection.subscribe("lec.req.other.*.*", {
    callback: (_, message) => void received.push({ subject: message.subject, text: message.string() }),
  });
  await other.connection.flush();
  await box.mayPublish("$KV.lec_machines.box", "GET /v1/sessions");
  const question = JSON.stringify({ last_by_subj: "$KV.lec_machines.box" });
  const get = "$JS.API.STREAM.MSG.GET.KV_lec_machines";
  await box.mayPublish(get, question, { reply: "lec.req.other.write.laptop" });
  // The first one has been answered when the second one is.
  await box.connection.request(get, question);
  await other.connection.flush();
  for (const { subject, text } of received) {
    assert.equal(text.startsWith("{"), true, "the server answers in JSON, and a request never begins so");
    assert.notEqual(readRequestSubject(subject), undefined);
    assert.equal(text.includes("GET /v1"), false);
  }
  listening.unsubscribe();
});

test("one machine cannot remove the rows of all others with a roll-up", async () => {
  await other.connection.request("$KV.lec_machines.other", "other's row");
  const rollup = headers();
  rollup.set("Nats-Rollup", "all");
  const answer = await box.connection.request("$KV.lec_machines.box", "x", { headers: rollup, timeout: 5000 });
  assert.match(answer.string(), /rollup not permitted/);
  const question = JSON.stringify({ last_by_subj: "$KV.lec_machines.other" });
  const row = await laptop.connection.request("$JS.API.STREAM.MSG.GET.KV_lec_machines", question);
  assert.equal(Buffer.from(row.json<{ message: { data: string } }>().message.data, "base64").toString(), "other's row");
});
