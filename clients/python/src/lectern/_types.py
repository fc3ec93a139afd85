"""The values that go to the daemon and come from it, as they are in JSON.

Written by ``npm run docs:protocol`` (scripts/write-python.ts): do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

PROTOCOL_VERSION = 2

ErrorCode = Literal[
    "ADDRESS_IN_USE",
    "ALREADY_RUNNING",
    "BIND_REFUSED",
    "CANCELLED",
    "COMMAND_NOT_EXECUTABLE",
    "COMMAND_NOT_FOUND",
    "CONFLICT",
    "DAEMON_UNREACHABLE",
    "DRAINING",
    "FORBIDDEN",
    "HOST_UNREACHABLE",
    "INTERNAL",
    "INVALID_INPUT",
    "JOURNAL_CORRUPT",
    "JOURNAL_WRITE_FAILED",
    "LIMIT_EXCEEDED",
    "MACHINE_AWAY",
    "MACHINE_NOT_FOUND",
    "MALFORMED",
    "METHOD_NOT_ALLOWED",
    "MISDIRECTED",
    "NAME_TAKEN",
    "NOT_AVAILABLE",
    "NOT_FOUND",
    "NOT_GATED",
    "OFFSET_BEYOND_END",
    "PTY_FAILED",
    "SESSION_ENDED",
    "SESSION_NOT_FOUND",
    "SESSION_RUNNING",
    "TOO_LARGE",
    "UNAUTHENTICATED",
    "UNSAFE_PERMISSIONS",
    "UNSUPPORTED_MEDIA_TYPE",
    "USAGE",
    "VERSION_MISMATCH",
    "WORKING_DIRECTORY_NOT_FOUND",
]


class DaemonInfoSessions(TypedDict):
    live: int
    ended: int


class DaemonInfoHostsItem(TypedDict):
    name: str
    pid: int
    version: str
    backend: str
    sessions: int
    draining: bool


class DaemonInfo(TypedDict):
    version: str
    protocolVersion: int
    pid: int
    startedAt: str
    dataDirectory: str
    listen: List[str]
    sessions: DaemonInfoSessions
    hosts: List[DaemonInfoHostsItem]
    problems: List[str]


class DaemonAgentsResultAgentsItem(TypedDict):
    name: str
    title: str
    package: Optional[str]
    routes: List[str]
    path: Optional[str]
    notes: str


class DaemonAgentsResult(TypedDict):
    agents: List[DaemonAgentsResultAgentsItem]


class DaemonReloadResultProblemsItem(TypedDict):
    line: int
    column: int
    message: str


class DaemonReloadResult(TypedDict):
    file: Optional[str]
    exists: bool
    changed: List[str]
    needRestart: List[str]
    notes: List[str]
    failures: List[str]
    problems: List[DaemonReloadResultProblemsItem]


class DaemonStopResult(TypedDict):
    pid: int


StatusState = Literal["starting", "working", "waiting", "blocked", "idle", "exited", "unknown"]


class StatusEvidenceItem(TypedDict):
    signal: Literal["exit", "protocol", "wire", "osc-7501", "osc-9-4", "osc-21337", "title", "agent-file", "osc-133", "foreground", "screen", "input", "quiet"]
    says: StatusState
    text: str
    rule: Optional[str]
    offset: int
    timeUs: int
    isDecisive: bool


class StatusLimit(TypedDict):
    untilUs: Optional[int]
    text: str


class Status(TypedDict):
    state: StatusState
    summary: str
    sinceUs: int
    offset: int
    agent: Optional[str]
    approval: Optional[str]
    evidence: List[StatusEvidenceItem]
    limit: NotRequired[StatusLimit]


class DaemonUpdateStatus(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["status"]
    status: Status
    session: str
    machine: NotRequired[str]


Role = Literal["conversation-start", "welcome", "user", "assistant", "tool-call", "tool-result", "command", "approval", "shell", "error", "exit"]


class MessageReplaced(TypedDict):
    source: Literal["protocol", "wire", "record", "screen"]
    text: str


class MessageTool(TypedDict):
    name: str
    input: Optional[str]
    call: Optional[str]


class MessageShell(TypedDict):
    command: str
    exitCode: Optional[int]


class Message(TypedDict):
    id: str
    order: NotRequired[float]
    role: Role
    agent: Optional[str]
    text: str
    rawText: NotRequired[str]
    source: Literal["protocol", "wire", "record", "screen"]
    revision: NotRequired[int]
    replaced: NotRequired[MessageReplaced]
    isPartial: bool
    isIncomplete: bool
    doubts: NotRequired[List[str]]
    offset: int
    end: int
    timeUs: int
    endTimeUs: int
    tool: NotRequired[MessageTool]
    shell: NotRequired[MessageShell]
    approval: NotRequired[str]
    subAgent: NotRequired[str]
    takenBack: NotRequired[Literal["rewound", "edited", "cleared", "cancelled"]]


class DaemonUpdateMessage(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["message"]
    message: Message
    session: str
    machine: NotRequired[str]


class ApprovalOptionsItem(TypedDict):
    id: str
    label: str
    effect: Literal["allow", "allow-always", "deny", "other"]
    checked: NotRequired[bool]


class ApprovalAnswer(TypedDict):
    option: Optional[str]
    by: str
    timeUs: int


class Approval(TypedDict):
    id: str
    source: Literal["screen", "wire", "protocol"]
    request: NotRequired[str]
    kind: Literal["permission", "trust", "question", "login"]
    agent: Optional[str]
    question: str
    tool: Optional[str]
    command: Optional[str]
    change: Optional[str]
    directory: Optional[str]
    reason: Optional[str]
    details: str
    options: List[ApprovalOptionsItem]
    isComplete: bool
    selected: Optional[str]
    offset: int
    timeUs: int
    state: Literal["hint", "open", "answered", "gone"]
    whyHint: Optional[str]
    digest: NotRequired[str]
    answer: Optional[ApprovalAnswer]


class DaemonUpdateApproval(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["approval"]
    approval: Approval
    session: str
    machine: NotRequired[str]


EventTrust = Literal["unverified", "text", "nonce", "encoded", "wire", "socket", "derived"]


class TaggedEventValid(TypedDict):
    type: Literal["tagged-event"]
    id: str
    name: str
    attributes: Dict[str, str]
    carrier: Literal["derived", "socket", "wire", "encoded", "text"]
    trust: EventTrust
    doubt: NotRequired[Literal["rendered", "quoted", "repeated"]]
    offset: int
    end: int
    valid: Literal[True]
    payload: Any


class TaggedEventNotValidError(TypedDict):
    code: Literal["invalid-name", "unknown-name", "malformed-json", "schema-mismatch", "abandoned"]
    message: str


class TaggedEventNotValid(TypedDict):
    type: Literal["tagged-event"]
    id: str
    name: str
    attributes: Dict[str, str]
    carrier: Literal["derived", "socket", "wire", "encoded", "text"]
    trust: EventTrust
    doubt: NotRequired[Literal["rendered", "quoted", "repeated"]]
    offset: int
    end: int
    valid: Literal[False]
    error: TaggedEventNotValidError
    text: str


TaggedEvent = Union[TaggedEventValid, TaggedEventNotValid]


class DaemonUpdateEvent(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["event"]
    event: TaggedEvent
    session: str
    machine: NotRequired[str]


class Usage(TypedDict):
    requests: int
    input: int
    output: int
    cachedInput: int
    reasoning: int
    costUsd: Optional[float]


class DaemonUpdateUsageHour(TypedDict):
    requests: int
    input: int
    output: int
    cachedInput: int
    reasoning: int
    costUsd: float
    unpriced: int
    hourUs: int
    agent: Optional[str]
    model: Optional[str]


class DaemonUpdateUsage(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["usage"]
    usage: Usage
    hour: NotRequired[DaemonUpdateUsageHour]
    session: str
    machine: NotRequired[str]


class DaemonUpdateIntentsIntentsItem(TypedDict):
    exchange: str
    call: str
    tool: str
    sinceUs: int
    isHeld: bool


class DaemonUpdateIntents(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["intents"]
    intents: List[DaemonUpdateIntentsIntentsItem]
    session: str
    machine: NotRequired[str]


class DaemonUpdateConversationConversation(TypedDict):
    agent: str
    id: str
    by: Literal["process", "open-file", "prompts", "person"]
    file: Optional[str]
    number: int


class DaemonUpdateConversation(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["conversation"]
    conversation: DaemonUpdateConversationConversation
    session: str
    machine: NotRequired[str]


SessionState = Literal["starting", "running", "exited", "lost"]


SessionOptionsWireUpstreams = TypedDict("SessionOptionsWireUpstreams", {
    "anthropic": "NotRequired[str]",
    "openai": "NotRequired[str]",
    "gemini": "NotRequired[str]",
    "code-assist": "NotRequired[str]",
})


class SessionOptionsWire(TypedDict):
    policy: NotRequired[str]
    upstreams: NotRequired[SessionOptionsWireUpstreams]
    approvalMs: int
    askOnce: bool
    mustGate: Union[bool, Literal["if-known"]]
    home: NotRequired[Optional[str]]


class SessionOptionsSandbox(TypedDict):
    profile: NotRequired[str]
    settings: NotRequired[str]
    optional: bool


class SessionOptionsWorktree(TypedDict):
    name: str
    branch: NotRequired[str]
    base: NotRequired[str]
    group: NotRequired[str]


class SessionOptionsEventTag(TypedDict):
    name: str
    bytesMax: int
    msMax: int


class SessionOptions(TypedDict):
    command: List[str]
    name: NotRequired[str]
    labels: Dict[str, str]
    workingDirectory: NotRequired[str]
    columns: int
    rows: int
    mode: Literal["interactive", "exec", "acp"]
    wire: NotRequired[SessionOptionsWire]
    sandbox: NotRequired[SessionOptionsSandbox]
    mine: bool
    retainBytesMax: NotRequired[int]
    worktree: NotRequired[SessionOptionsWorktree]
    eventSchemas: NotRequired[Dict[str, Any]]
    trustText: bool
    eventTag: NotRequired[SessionOptionsEventTag]
    summaries: bool
    onBlocked: NotRequired[List[str]]
    agent: NotRequired[str]
    shellIntegration: bool


class SessionConversation(TypedDict):
    agent: str
    id: str
    by: Literal["process", "open-file", "prompts", "person"]


class SessionExitExited(TypedDict):
    reason: Literal["exited"]
    code: int
    signal: None
    endedBy: NotRequired[Literal["request", "keyboard"]]


class SessionExitSignaled(TypedDict):
    reason: Literal["signaled"]
    code: None
    signal: str
    endedBy: NotRequired[Literal["request", "keyboard"]]


class SessionExitLost(TypedDict):
    reason: Literal["lost"]
    code: None
    signal: None


class SessionStatus(TypedDict):
    state: StatusState
    summary: str
    sinceUs: int
    agent: Optional[str]
    limit: NotRequired[StatusLimit]


class SessionLastMessage(TypedDict):
    role: Role
    text: str
    timeUs: int


class Gate(TypedDict):
    state: Literal["on", "not-gated"]
    evidence: Optional[str]
    policyHash: Optional[str]
    mode: Literal["enforce", "log-only"]
    requests: int
    calls: int
    lastRequestAt: Optional[str]


class SessionSandboxFindingsItem(TypedDict):
    what: Literal["repository", "link", "settings", "build", "rest"]
    path: str
    detail: str


class SessionSandbox(TypedDict):
    profile: str
    backend: Literal["bubblewrap", "none"]
    promises: List[str]
    missing: List[str]
    setAside: Optional[List[str]]
    findings: List[SessionSandboxFindingsItem]


class Worktree(TypedDict):
    path: str
    branch: str
    base: str
    baseName: Optional[str]
    repository: str
    gitDirectory: str
    group: Optional[str]
    leftOut: int


class Session(TypedDict):
    id: str
    name: str
    state: SessionState
    isImported: bool
    options: SessionOptions
    isMine: bool
    parent: Optional[str]
    continues: Optional[str]
    continuedBy: Optional[str]
    conversation: Optional[SessionConversation]
    trustsText: bool
    eventTag: SessionOptionsEventTag
    summaries: bool
    command: List[str]
    agent: Optional[str]
    workingDirectory: str
    labels: Dict[str, str]
    columns: int
    rows: int
    pid: Optional[int]
    createdAt: str
    endedAt: Optional[str]
    exit: Optional[Union[SessionExitExited, SessionExitSignaled, SessionExitLost]]
    start: int
    end: int
    viewers: int
    status: Optional[SessionStatus]
    lastMessage: Optional[SessionLastMessage]
    usage: Optional[Usage]
    gate: Optional[Gate]
    sandbox: Optional[SessionSandbox]
    worktree: Optional[Worktree]
    writer: Optional[str]
    degraded: Optional[str]
    unreachable: Optional[str]
    damaged: Optional[str]


class DaemonUpdateSession(TypedDict):
    session: str
    machine: NotRequired[str]
    kind: Literal["session"]
    view: Optional[Session]


class Machine(TypedDict):
    name: str
    link: Literal["ssh", "cluster"]
    address: str
    state: Literal["unasked", "connecting", "connected", "away"]
    reason: Optional[str]
    sinceMs: int
    version: Optional[str]


class DaemonUpdateListAccess(TypedDict):
    scope: Literal["read", "write", "admin"]
    session: Optional[str]


class SessionApproval(TypedDict):
    id: str
    source: Literal["screen", "wire", "protocol"]
    request: NotRequired[str]
    kind: Literal["permission", "trust", "question", "login"]
    agent: Optional[str]
    question: str
    tool: Optional[str]
    command: Optional[str]
    change: Optional[str]
    directory: Optional[str]
    reason: Optional[str]
    details: str
    options: List[ApprovalOptionsItem]
    isComplete: bool
    selected: Optional[str]
    offset: int
    timeUs: int
    state: Literal["hint", "open", "answered", "gone"]
    whyHint: Optional[str]
    digest: str
    answer: Optional[ApprovalAnswer]
    session: str


class DaemonUpdateList(TypedDict):
    machine: NotRequired[str]
    kind: Literal["list"]
    sessions: List[Session]
    machines: NotRequired[List[Machine]]
    access: NotRequired[DaemonUpdateListAccess]
    approvals: List[SessionApproval]
    hints: List[SessionApproval]


class DaemonUpdateApprovals(TypedDict):
    machine: NotRequired[str]
    kind: Literal["approvals"]
    approvals: List[SessionApproval]
    hints: List[SessionApproval]


class DaemonUpdateAudit(TypedDict):
    machine: NotRequired[str]
    kind: Literal["audit"]


class DaemonUpdateActivity(TypedDict):
    end: int
    viewers: int
    writer: Optional[str]
    lastMessage: Optional[SessionLastMessage]
    usage: Optional[Usage]
    gate: Optional[Gate]
    session: str
    machine: NotRequired[str]
    kind: Literal["activity"]


class DaemonUpdateMachine(TypedDict):
    kind: Literal["machine"]
    machine: str
    view: Optional[Machine]


DaemonUpdate = Union[DaemonUpdateStatus, DaemonUpdateMessage, DaemonUpdateApproval, DaemonUpdateEvent, DaemonUpdateUsage, DaemonUpdateIntents, DaemonUpdateConversation, DaemonUpdateSession, DaemonUpdateList, DaemonUpdateApprovals, DaemonUpdateAudit, DaemonUpdateActivity, DaemonUpdateMachine]


ChangeKind = Literal["status", "message", "approval", "event", "usage", "intents", "conversation"]


class HostsDrainResult(TypedDict):
    hosts: List[DaemonInfoHostsItem]


class MachinesListResult(TypedDict):
    machines: List[Machine]


class TokensCreateResult(TypedDict):
    id: str
    scope: Literal["read", "write", "admin"]
    session: Optional[str]
    label: str
    createdAt: str
    expiresAt: Optional[str]
    lastUsedAt: Optional[str]
    token: str


class Token(TypedDict):
    id: str
    scope: Literal["read", "write", "admin"]
    session: Optional[str]
    label: str
    createdAt: str
    expiresAt: Optional[str]
    lastUsedAt: Optional[str]


class TokensListResult(TypedDict):
    tokens: List[Token]


class Removed(TypedDict):
    id: str


class SessionsListResult(TypedDict):
    sessions: List[Session]


class SessionsCreateWire(TypedDict):
    policy: NotRequired[str]
    upstreams: NotRequired[SessionOptionsWireUpstreams]
    approvalMs: NotRequired[int]
    askOnce: NotRequired[bool]
    mustGate: NotRequired[Union[bool, Literal["if-known"]]]
    home: NotRequired[Optional[str]]


class SessionsCreateSandbox(TypedDict):
    profile: NotRequired[str]
    settings: NotRequired[str]
    optional: NotRequired[bool]


class SessionsCreateEventTag(TypedDict):
    name: NotRequired[str]
    bytesMax: NotRequired[int]
    msMax: NotRequired[int]


class Written(TypedDict):
    offset: int
    next: int
    already: NotRequired[Literal[True]]


class AnsweredReceiptStepsItem(TypedDict):
    state: Literal["scheduled", "accepted", "typed", "echoed", "submitted", "working", "done", "failed", "cancelled"]
    timeUs: int
    offset: int


class AnsweredReceiptTargetsItemMembersItem(TypedDict):
    pid: int
    startTicks: Optional[float]
    image: Optional[float]


class AnsweredReceiptTargetsItem(TypedDict):
    kind: Union[Literal["shell", "repl", "line question", "unknown"], str]
    agent: Optional[str]
    run: int
    program: Optional[str]
    group: Optional[int]
    pid: Optional[int]
    startTicks: Optional[float]
    image: Optional[float]
    members: Optional[List[AnsweredReceiptTargetsItemMembersItem]]


class AnsweredReceiptAsksOptionsItem(TypedDict):
    id: str
    label: str


class AnsweredReceiptAsks(TypedDict):
    approval: Optional[str]
    question: str
    options: List[AnsweredReceiptAsksOptionsItem]
    howToAnswer: str


class AnsweredReceipt(TypedDict):
    key: str
    session: str
    text: str
    state: Literal["scheduled", "accepted", "typed", "echoed", "submitted", "working", "done", "failed", "cancelled"]
    reason: Optional[str]
    steps: List[AnsweredReceiptStepsItem]
    dueUs: NotRequired[int]
    afterLimit: NotRequired[Literal[True]]
    whenEmpty: NotRequired[Literal[True]]
    isLiteral: NotRequired[Literal[True]]
    isForced: NotRequired[Literal[True]]
    isForShell: NotRequired[Literal[True]]
    targets: NotRequired[List[AnsweredReceiptTargetsItem]]
    conversation: NotRequired[str]
    left: NotRequired[str]
    asks: Optional[AnsweredReceiptAsks]


class Receipt(TypedDict):
    key: str
    session: str
    text: str
    state: Literal["scheduled", "accepted", "typed", "echoed", "submitted", "working", "done", "failed", "cancelled"]
    reason: Optional[str]
    steps: List[AnsweredReceiptStepsItem]
    dueUs: NotRequired[int]
    afterLimit: NotRequired[Literal[True]]
    whenEmpty: NotRequired[Literal[True]]
    isLiteral: NotRequired[Literal[True]]
    isForced: NotRequired[Literal[True]]
    isForShell: NotRequired[Literal[True]]
    targets: NotRequired[List[AnsweredReceiptTargetsItem]]
    conversation: NotRequired[str]
    left: NotRequired[str]


class SessionsReceiptsResult(TypedDict):
    receipts: List[Receipt]


class CommandResultOmitted(TypedDict):
    bytes: int
    totalBytes: int
    sha256: str
    kept: bool


class CommandResult(TypedDict):
    ran: bool
    reason: Literal["mark", "foreground", "marker", "quiet", "timeout", "exit", "limit"]
    ended: bool
    asks: Optional[Literal["command", "more", "line", "password", "keys"]]
    output: str
    exact: bool
    tags: int
    exitCode: Optional[int]
    durationMs: float
    omitted: Optional[CommandResultOmitted]
    program: Optional[str]
    offset: int
    next: int
    session: Session


class SessionsAbortResult(TypedDict):
    outcome: Literal["not-typed", "interrupted", "unknown"]


class SessionsWaitResultReady(TypedDict):
    reason: Literal["mark", "foreground", "marker", "quiet"]
    asks: Optional[Literal["command", "more", "line", "password", "keys"]]


class SessionsWaitResult(TypedDict):
    reason: Literal["exit", "ready", "output", "quiet", "status", "event", "limit", "timeout"]
    ready: Optional[SessionsWaitResultReady]
    offset: int
    match: Optional[str]
    event: NotRequired[TaggedEvent]
    session: Session


class SessionsWaitForExit(TypedDict):
    type: Literal["exit"]


class SessionsWaitForReady(TypedDict):
    type: Literal["ready"]
    strategy: NotRequired[Literal["auto", "mark", "foreground", "marker", "quiet"]]
    markers: NotRequired[List[str]]
    settleMs: NotRequired[int]
    quietMs: NotRequired[int]
    outputBytesMax: NotRequired[int]


class SessionsWaitForOutput(TypedDict):
    type: Literal["output"]
    pattern: str


class SessionsWaitForQuiet(TypedDict):
    type: Literal["quiet"]
    quietMs: int


class SessionsWaitForStatus(TypedDict):
    type: Literal["status"]
    states: List[StatusState]


class SessionsWaitForEvent(TypedDict):
    type: Literal["event"]
    name: str
    trust: NotRequired[Literal["unverified", "text", "nonce", "encoded", "wire", "socket", "derived"]]


class SessionsConverseResult(TypedDict):
    reason: Literal["exit", "ready", "limit", "timeout"]
    ready: Optional[SessionsWaitResultReady]
    text: str
    next: int


SessionsLogsResult = TypedDict("SessionsLogsResult", {
    "text": "str",
    "from": "int",
    "next": "int",
    "more": "bool",
    "omittedBytes": "int",
    "trimmedBytes": "int",
    "damagedBytes": "int",
    "tags": "int",
})


class SessionRecord(TypedDict):
    type: str
    offset: int
    next: int
    timeUs: int
    data: NotRequired[str]


class SessionsRecordsResult(TypedDict):
    records: List[SessionRecord]
    next: int
    end: int


class SessionsEventsResult(TypedDict):
    events: List[TaggedEvent]
    next: int
    ended: bool


class SessionsSearchResultHitsItem(TypedDict):
    session: str
    name: str
    kind: ChangeKind
    id: str
    role: str
    offset: int
    timeUs: int
    snippet: str


class SessionsSearchResult(TypedDict):
    hits: List[SessionsSearchResultHitsItem]


class SessionsScreenResultCursor(TypedDict):
    column: int
    row: int
    isVisible: bool
    shape: Optional[Literal["block", "underline", "bar"]]


class SessionsScreenResult(TypedDict):
    offset: int
    columns: int
    rows: int
    title: str
    cursor: SessionsScreenResultCursor
    isAlternate: bool
    text: str
    ansi: Optional[str]
    bytesSkipped: int


class SessionsStatusResult(TypedDict):
    session: str
    status: Optional[Status]
    approvals: List[Approval]
    hints: List[Approval]


class SessionsMessagesResult(TypedDict):
    messages: List[Message]
    next: int


class SessionsDigestResultAnswer(TypedDict):
    message: str
    text: str
    isPartial: bool


class SessionsDigestResultQuestion(TypedDict):
    approval: Optional[str]
    text: str
    options: List[str]


class SessionsDigestResultCommandsItem(TypedDict):
    command: str
    exitCode: Optional[int]
    by: Literal["shell", "agent"]
    message: str


class SessionsDigestResultToolsItem(TypedDict):
    name: str
    calls: int


class SessionsDigestResultFilesItem(TypedDict):
    name: str
    times: int


class SessionsDigestResultEventsItem(TypedDict):
    name: str
    trust: EventTrust
    isValid: bool


class SessionsDigestResultDecisionsItem(TypedDict):
    approval: str
    question: str
    option: Optional[str]
    by: Optional[str]


class SessionsDigestResultCounts(TypedDict):
    messages: int
    requests: int
    commands: int
    files: int
    events: int
    errors: int


class SessionsDigestResult(TypedDict):
    turn: Literal["last", "all"]
    offset: int
    startUs: int
    endUs: int
    agent: Optional[str]
    state: StatusState
    stateMs: Dict[str, float]
    request: Optional[str]
    answer: Optional[SessionsDigestResultAnswer]
    question: Optional[SessionsDigestResultQuestion]
    commands: List[SessionsDigestResultCommandsItem]
    tools: List[SessionsDigestResultToolsItem]
    files: List[SessionsDigestResultFilesItem]
    events: List[SessionsDigestResultEventsItem]
    decisions: List[SessionsDigestResultDecisionsItem]
    errors: List[str]
    tokens: Optional[Usage]
    counts: SessionsDigestResultCounts
    session: str


class ChangeStatus(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["status"]
    status: Status


class ChangeMessage(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["message"]
    message: Message


class ChangeApproval(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["approval"]
    approval: Approval


class ChangeEvent(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["event"]
    event: TaggedEvent


class ChangeUsage(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["usage"]
    usage: Usage
    hour: NotRequired[DaemonUpdateUsageHour]


class ChangeIntents(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["intents"]
    intents: List[DaemonUpdateIntentsIntentsItem]


class ChangeConversation(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["conversation"]
    conversation: DaemonUpdateConversationConversation


Change = Union[ChangeStatus, ChangeMessage, ChangeApproval, ChangeEvent, ChangeUsage, ChangeIntents, ChangeConversation]


class SessionsChangesResult(TypedDict):
    changes: List[Change]
    next: int


class SessionUpdateReceipt(TypedDict):
    offset: int
    timeUs: int
    kind: Literal["receipt"]
    receipt: Receipt


SessionUpdate = Union[ChangeStatus, ChangeMessage, ChangeApproval, ChangeEvent, ChangeUsage, ChangeIntents, ChangeConversation, SessionUpdateReceipt]


UpdateKind = Literal["status", "message", "approval", "event", "usage", "intents", "conversation", "receipt"]


class SessionsReindexResult(TypedDict):
    session: str
    offset: int


class ResumePlan(TypedDict):
    session: str
    name: str
    agent: Optional[str]
    state: SessionState
    endedAt: Optional[str]
    action: Literal["resume", "restart", "none"]
    conversation: Optional[str]
    command: Optional[List[str]]
    reason: Optional[str]
    candidates: List[str]


class SessionsResumableResult(TypedDict):
    sessions: List[ResumePlan]


class ApprovalsListResult(TypedDict):
    version: int
    approvals: List[SessionApproval]
    hints: List[SessionApproval]


class AuditRowRow(TypedDict):
    type: str
    session: str
    call: str
    timeMs: float


class AuditRow(TypedDict):
    sequence: int
    row: AuditRowRow
    previous: str
    hash: str


class AuditListResult(TypedDict):
    rows: List[AuditRow]
    next: int
    end: int


class AuditedCall(TypedDict):
    session: str
    call: str
    stage: Literal["undecided", "approved", "unfinished", "denied", "finished"]
    argumentsHash: Optional[str]
    tool: Optional[str]
    outcomeHash: Optional[str]
    timeMs: float


class AuditOpenResult(TypedDict):
    calls: List[AuditedCall]


class AuditFindResult(TypedDict):
    call: Optional[AuditedCall]


class AuditVerificationIntactHead(TypedDict):
    sequence: int
    hash: str


class AuditVerificationIntact(TypedDict):
    intact: Literal[True]
    rows: int
    keptHeads: int
    head: AuditVerificationIntactHead


class AuditVerificationNotIntact(TypedDict):
    intact: Literal[False]
    rows: int
    keptHeads: int
    problem: Literal["changed", "removed", "inserted"]
    at: int
    sequence: int
    message: str


AuditVerification = Union[AuditVerificationIntact, AuditVerificationNotIntact]


class AuditAppendRowsItemDecisionPartsItem(TypedDict):
    text: str
    effect: Literal["allow", "ask", "deny"]
    decidedBy: str
    line: Optional[int]


class AuditAppendRowsItemDecision(TypedDict):
    type: Literal["decision"]
    session: str
    call: str
    timeMs: int
    requester: str
    tool: str
    source: str
    provenance: Literal["wire", "empty", "healed"]
    argumentsHash: str
    effect: Literal["allow", "ask", "deny"]
    decidedBy: str
    line: Optional[int]
    policyHash: Optional[str]
    evidence: str
    arguments: NotRequired[str]
    parts: NotRequired[List[AuditAppendRowsItemDecisionPartsItem]]
    partsLeftOut: NotRequired[int]
    enforced: NotRequired[Literal[False]]


class AuditAppendRowsItemAnswer(TypedDict):
    type: Literal["answer"]
    session: str
    call: str
    timeMs: int
    effect: Literal["allow", "deny"]
    approver: str


class AuditAppendRowsItemStart(TypedDict):
    type: Literal["start"]
    session: str
    call: str
    timeMs: int
    executor: str


class AuditAppendRowsItemOutcome(TypedDict):
    type: Literal["outcome"]
    session: str
    call: str
    timeMs: int
    result: Literal["succeeded", "failed", "refused", "unknown", "timed-out", "cancelled"]
    outcomeHash: Optional[str]
    evidence: NotRequired[str]


class PolicyGetResult(TypedDict):
    policy: Optional[str]


class PolicyProblem(TypedDict):
    line: int
    column: int
    severity: Literal["error", "warning"]
    message: str
    code: NotRequired[str]


class PolicyCheckResult(TypedDict):
    ok: bool
    problems: List[PolicyProblem]
    rules: int
    limits: int
    default: Optional[Literal["allow", "ask", "deny"]]


class DecisionRule(TypedDict):
    id: str
    line: int
    reason: Optional[str]


class DecisionVerdictsItem(TypedDict):
    effect: Literal["allow", "ask", "deny"]
    source: Literal["rule", "default", "opaque", "launcher", "lectern", "unfinished"]
    rule: Optional[DecisionRule]
    evidence: str
    message: str


class Decision(TypedDict):
    effect: Literal["allow", "ask", "deny"]
    source: Literal["rule", "default", "opaque", "launcher", "lectern", "unfinished"]
    rule: Optional[DecisionRule]
    evidence: str
    message: str
    verdicts: List[DecisionVerdictsItem]


class PolicyReplayResultCallsItem(TypedDict):
    id: str
    tool: str
    offset: int
    decision: Decision
    recorded: Optional[Literal["allow", "ask", "deny"]]
    changed: bool


class PolicyReplayResultCounts(TypedDict):
    allow: int
    ask: int
    deny: int


class PolicyReplayResult(TypedDict):
    ok: bool
    problems: List[PolicyProblem]
    calls: List[PolicyReplayResultCallsItem]
    counts: PolicyReplayResultCounts
    changed: int
    decidedBy: Dict[str, int]
    leftOut: int


class FilesPutResult(TypedDict):
    name: str
    path: str
    bytes: int
    createdAt: str
    isPasted: bool
    notPasted: Optional[str]


class SessionFile(TypedDict):
    name: str
    path: str
    bytes: int
    createdAt: str


class FilesListResult(TypedDict):
    files: List[SessionFile]
    bytes: int


class FilesRemoveResult(TypedDict):
    name: str


class ClusterStatusResultMachinesItem(TypedDict):
    name: str
    state: Literal["connecting", "connected", "away"]
    reason: Optional[str]
    sinceMs: int
    version: str
    protocolVersion: int
    sessions: int
    isThis: bool


class ClusterStatusResultReplicasSessionsItem(TypedDict):
    id: str
    name: str
    state: Literal["following", "behind", "degraded"]
    reason: Optional[str]
    lagBytes: int


class ClusterStatusResultReplicas(TypedDict):
    reason: Optional[str]
    bytes: int
    waiting: int
    removing: int
    sessions: List[ClusterStatusResultReplicasSessionsItem]


class ClusterStatusResult(TypedDict):
    joined: bool
    name: Optional[str]
    role: Optional[Literal["machine", "operator", "viewer"]]
    servers: List[str]
    state: Literal["off", "connecting", "connected", "refused"]
    reason: Optional[str]
    sinceMs: int
    server: Optional[str]
    serverVersion: Optional[str]
    machines: List[ClusterStatusResultMachinesItem]
    replicas: Optional[ClusterStatusResultReplicas]


class Notice(TypedDict):
    id: str
    kind: Literal["blocked", "done", "failed", "limit", "away", "test"]
    channel: str
    session: Optional[str]
    title: str
    state: Literal["pending", "sent", "dead", "withdrawn"]
    reason: str
    attempts: int
    createdAt: str
    nextAt: Optional[str]


class NotifyListResultChannelsItem(TypedDict):
    name: str
    kind: str
    target: str
    disabled: Optional[str]


class NotifyListResult(TypedDict):
    notices: List[Notice]
    channels: List[NotifyListResultChannelsItem]
    publicUrl: Optional[str]


class NotifyTestResult(TypedDict):
    channel: str
    sent: bool
    detail: str
    hasLinks: bool


class NotifyRetryResult(TypedDict):
    ids: List[str]


class PushListResultDevicesItem(TypedDict):
    id: str
    host: str
    label: str
    createdAt: str


class PushListResult(TypedDict):
    publicKey: str
    devices: List[PushListResultDevicesItem]
    gone: List[str]


class PushSubscribeKeys(TypedDict):
    p256dh: str
    auth: str


class TaskSessionsItem(TypedDict):
    id: str
    name: str
    state: SessionState


class Task(TypedDict):
    worktree: Worktree
    exists: bool
    sessions: List[TaskSessionsItem]


class TasksListResult(TypedDict):
    tasks: List[Task]


TasksChangesResultFilesItem = TypedDict("TasksChangesResultFilesItem", {
    "path": "str",
    "from": "Optional[str]",
    "type": "Literal[\"added\", \"changed\", \"removed\", \"renamed\", \"type-changed\"]",
    "added": "Optional[int]",
    "removed": "Optional[int]",
    "isBinary": "bool",
    "isSubmodule": "bool",
    "isCommitted": "bool",
    "version": "str",
})


class TasksChangesResultUncommitted(TypedDict):
    files: List[str]
    total: int


class TasksChangesResultExecutedLaterItem(TypedDict):
    path: str
    by: str
    isOnlyCommitted: bool


class TasksChangesResult(TypedDict):
    worktree: Worktree
    branch: Optional[str]
    head: str
    commits: int
    files: List[TasksChangesResultFilesItem]
    total: int
    uncommitted: TasksChangesResultUncommitted
    executedLater: List[TasksChangesResultExecutedLaterItem]
    innerRepositories: List[str]
    fingerprint: str


class TasksDiffResult(TypedDict):
    patch: str
    isCut: bool


class TasksCommitResult(TypedDict):
    commit: str
    branch: str
    files: int


class TasksDiscardResult(TypedDict):
    files: int
    head: str


class TasksMergeResult(TypedDict):
    into: str
    commit: Optional[str]
    conflicts: List[str]
    checkout: Optional[str]


class TasksPushResult(TypedDict):
    remote: str
    address: str
    branch: str
    commit: str
    answer: str
    pullRequest: Optional[str]


class TasksRemoveResult(TypedDict):
    path: str
    branch: str
    isBranchRemoved: bool
    commits: int


class UsageListResultRowsItem(TypedDict):
    requests: int
    input: int
    output: int
    cachedInput: int
    reasoning: int
    costUsd: float
    unpriced: int
    key: Optional[str]
    name: Optional[str]


class UsageListResultTotal(TypedDict):
    requests: int
    input: int
    output: int
    cachedInput: int
    reasoning: int
    costUsd: float
    unpriced: int


class UsageListResult(TypedDict):
    rows: List[UsageListResultRowsItem]
    total: UsageListResultTotal
    isCut: bool
