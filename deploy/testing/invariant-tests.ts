export type InvariantTest = { file: string; title: string }

const house = 'deploy/build/house/violations.test.ts'
const names = { file: house, title: 'names that a part of the source does not know' }
const gateway = 'packages/sandbox-gateway/src/gateway.test.ts'
const access = 'apps/server/src/sandboxes/state/sandbox-access.test.ts'
const recovery = 'apps/server/src/turns/engine/turns-recovery.test.ts'
const isolation = 'tests/system/isolation.test.ts'

/**
 * The tests that fail when an invariant of `docs/architecture.md` is broken, by the words that it begins with. All of them, in the
 * order of the page. What only the source can break is a rule of `npm run check`, whose own test is named.
 */
export const invariantTests: Readonly<Record<string, readonly [InvariantTest, ...InvariantTest[]]>> = {
  'the server does not know that gVisor, btrfs or nftables exist': [names],
  'the host does not know people, threads or models': [names],
  'the guest knows none of these terms, not even its sandbox’s ID': [names],
  'the gateway is the only way into a sandbox': [
    { file: isolation, title: 'only the gateway reaches a sandbox: no user of the machine does, no neighbor' },
  ],
  'the host daemon reads no byte that sandboxes send through egress': [
    {
      file: 'packages/sandbox-egress/src/relay.test.ts',
      title: 'the host gets name, port, decision and reason of a connection, and nothing that was sent',
    },
  ],
  'the model never sees a host credential or a provider key': [
    {
      file: 'apps/server/src/turns/engine/turns.test.ts',
      title:
        'the key of %s is a header of its requests, and is not in what the model, a command or the conversation gets',
    },
  ],
  'imports point one way': [
    { file: house, title: 'a feature does not import one to its right' },
    { file: house, title: 'another area is imported through its public interface' },
  ],
  'only `packages/gvisor-driver` builds a `runsc` command line': [names],
  '`packages/domain` has no clock, no randomness and no I/O': [names],
  'roles decide what a person can do with threads and workspaces': [
    {
      file: 'packages/domain/src/roles.test.ts',
      title: 'C12: an owner can do everything, a viewer only read, and a person without a role nothing',
    },
  ],
  'every order to a host carries the ID of the boot it means and is rejected for another': [
    { file: gateway, title: 'an order for another boot is refused before it reaches the sandbox' },
    {
      file: 'tests/system/host-lifecycle.test.ts',
      title: 'orders can be sent again, and an order for another boot is rejected',
    },
  ],
  'a state changes only by compare-and-set on state and boot ID': [
    {
      file: 'apps/server/src/sandboxes/state/transitions.test.ts',
      title: 'of two events for the same state, one is applied; the other stores nothing and has no effects',
    },
    {
      file: 'apps/server/src/sandboxes/state/transitions.test.ts',
      title:
        'an event of an earlier boot changes nothing of a later one in the same state, nor what is stored beside it',
    },
  ],
  'a boot that ends on its own leaves its disk': [
    {
      file: access,
      title:
        'a notice in the thread has the cause of a boot’s end, and the next call starts another boot on the same disk',
    },
    {
      file: 'tests/system/host-lifecycle.test.ts',
      title: 'ends the boot with its cause, and the next start works on the same files',
    },
  ],
  'startup is reclaim': [
    {
      file: 'tests/system/host-lifecycle.test.ts',
      title: 'a daemon that is killed during starts leaves no unknown boot',
    },
    {
      file: 'tests/system/host-lifecycle.test.ts',
      title: 'a deletion that a SIGKILL of the daemon interrupts is finished by the next one',
    },
  ],
  'nothing is shown that was not recorded first': [
    {
      file: 'apps/server/src/threads/log/thread-log.test.ts',
      title: 'nothing is recorded or shown when `alongside` fails',
    },
  ],
  'a finished tool call is never run again': [
    { file: recovery, title: 'that was recorded before a crash and never started runs once, in the same boot' },
    {
      file: 'tests/system/durability.test.ts',
      title: 'killed at each moment of a turn: a side effect happens exactly once or is marked interrupted',
    },
  ],
  'output that is cut for the model (beginning and end of long output) is complete for the person up to the limit of kept output':
    [
      {
        file: 'apps/server/src/turns/tools/tools.test.ts',
        title: 'is complete for the user; the model gets its head, its tail and the path of the rest',
      },
      {
        file: 'apps/server/src/turns/tools/tools.test.ts',
        title: 'over the limit states what was written and kept exactly, to the user and to the model',
      },
      {
        file: 'tests/system/flood.test.ts',
        title: 'head and tail are exact, and the server’s data stays within the limit',
      },
    ],
  'a transcript is valid for every provider at every moment': [
    {
      file: 'apps/server/src/turns/engine/history.logic.test.ts',
      title: 'has a result for every call, also for one that never ended',
    },
  ],
  'memory and disk of a fork are of the same moment': [
    {
      file: 'tests/system/fork-kills.test.ts',
      title: 'nothing is left of a live fork whose server is killed; the source continues with its memory',
    },
  ],
  'memory kept with a snapshot is restored only over a new copy of that snapshot, and is only read': [
    {
      file: 'apps/host/src/memory/snapshots/snapshot-memories.test.ts',
      title: 'a fork from a snapshot with memory continues as it was then; the source is not touched',
    },
    {
      file: 'apps/host/src/memory/snapshots/snapshot-memories.test.ts',
      title: 'the memory of another sandbox is neither used nor discarded',
    },
    {
      file: 'tests/system/memory-rewind.test.ts',
      title: 'five turns are rewound: files, processes, Python variables and messages are as they were',
    },
  ],
  'a disk replaced in a rewind never meets memory of another moment': [
    {
      file: 'tests/system/rewind-kills.test.ts',
      title: 'killed at any moment of a rewind, conversation, disk and memory are of one moment',
    },
  ],
  'the record of a sandbox’s running state delays nothing, and nothing is decided by it': [
    {
      file: 'apps/server/src/turns/snapshots/turn-manifests.test.ts',
      title: 'a guest that does not respond delays no next operation: the snapshot is taken without a manifest',
    },
  ],
  'nothing inside a sandbox can change `/skills`': [
    { file: 'tests/system/skills.test.ts', title: 'no user inside can change them, not even root' },
  ],
  'capturing an environment changes nothing of its thread': [
    { file: 'tests/system/agents.test.ts', title: 'a configured thread is saved without its secrets' },
    {
      file: 'tests/system/fork-kills.test.ts',
      title: 'nothing is left of a sandbox that is being copied for an agent when its server is killed',
    },
  ],
  'an imported agent file reaches nothing but the disk that is made from it': [
    { file: 'tests/system/agent-file-refused.test.ts', title: 'is refused, and leaves nothing on the pool' },
  ],
  'nothing of an imported agent file runs, is given to a model or is granted before a person accepts it': [
    {
      file: 'apps/server/src/workflows/agents/agent-drafts.test.ts',
      title: 'before a person accepts it nothing of it starts, is granted or is available',
    },
  ],
  'what starts a run is recorded with it in one transaction': [
    {
      file: 'tests/system/runs.test.ts',
      title: 'a server that is killed again and again loses no run and starts none twice',
    },
  ],
  'in a run, calls that need approval are denied': [
    {
      file: 'apps/server/src/workflows/runs/runs.test.ts',
      title: 'a call that needs approval is denied, and the run fails and names the call',
    },
  ],
  'a secret of a connection is in no sandbox but that of the connection itself': [
    {
      file: 'tests/system/connection-programs.test.ts',
      title: 'the secret is in the sandbox of its connection, and in no thread, log, error, response or database',
    },
  ],
  'a connection’s tool is called only if a person allowed it as its server describes it at that moment': [
    {
      file: 'apps/server/src/turns/engine/turns-connections.test.ts',
      title:
        'an approval is void when the tool changed since: approval is requested again, with its current description',
    },
  ],
  'a connection’s requests go only to addresses that were checked when the socket was opened': [
    {
      file: 'apps/server/src/turns/connections/connections.test.ts',
      title: 'a name that resolves to %s is refused when connecting',
    },
    {
      file: 'apps/server/src/turns/connections/connections.test.ts',
      title: 'a server cannot redirect the request to another address',
    },
  ],
  'the token of a Git credential is in no sandbox': [
    {
      file: 'tests/system/git-credentials.test.ts',
      title: 'the token is nowhere in the sandbox while git runs, nor in logs, errors and the audit log',
    },
  ],
  'no connection begins in a sandbox and ends at the server': [
    {
      file: 'tests/system/git-credentials.test.ts',
      title: 'programs in the sandbox can request nothing else from the server',
    },
    {
      file: isolation,
      title: 'does not reach services of the machine or the router on any address, loopback included',
    },
  ],
  'the value of a secret leaves the server only to the broker': [
    {
      file: 'apps/server/src/sandboxes/secrets/secret-canary.test.ts',
      title:
        'the value of a secret is at the broker, and in no response, log, row, file, export, agent or model request',
    },
  ],
  'a placeholder is of one secret in one sandbox and is never used again': [
    {
      file: 'apps/server/src/sandboxes/secrets/sandbox-secrets.test.ts',
      title: 'revoking returns only when the broker uses the secret no longer, and a new grant has another placeholder',
    },
  ],
  'limits are enforced inside, where one process can be ended and named': [
    {
      file: 'tests/system/limits.test.ts',
      title: 'a program that takes more memory than the limit is ended and named; the sandbox keeps running',
    },
    {
      file: 'apps/guest/src/watchdog/process-watchdog.test.ts',
      title: 'what multiplies at the limit is ended with all its sessions and named; earlier processes are not',
    },
  ],
  'all writes to a disk of a running sandbox go through its guest': [
    {
      file: 'apps/host/src/copies/environments/environments.test.ts',
      title: 'a disk in which something runs, and an unknown one, are not cleaned',
    },
    {
      file: access,
      title: 'a file uploaded before the first start is in the sandbox when it starts, and a later one immediately',
    },
  ],
  'a request without the boot’s access token gets no response from the guest': [
    { file: 'apps/guest/src/tunnel/tunnel.test.ts', title: 'without the token of the boot there is no tunnel' },
    {
      file: 'tests/system/host-lifecycle.test.ts',
      title: 'a boot’s access token is in neither the log nor any response',
    },
  ],
  'programs that inspect a sandbox’s content (git, `find`) run in that sandbox as its user': [
    {
      file: 'tests/system/git.test.ts',
      title: 'git and find run as the sandbox’s user: what only root can read is not reported',
    },
    {
      file: 'apps/server/src/sandboxes/git/git-output.test.ts',
      title: 'names can contain line breaks, quotes, spaces, escape codes and text that looks like git output',
    },
  ],
  'viewing a terminal neither wakes a sandbox nor keeps it awake; typing does both': [
    {
      file: 'tests/system/terminals.test.ts',
      title: 'a pause keeps the shell and what runs in it; viewing wakes nothing, typing does',
    },
  ],
  'without signing in, only these respond: signing in itself; the page of a link': [
    {
      file: 'apps/server/src/workflows/sharing/thread-links.test.ts',
      title: 'a thread is private: guessed addresses show nothing',
    },
  ],
  'a page made in a sandbox never has the app’s origin, cookies or headers': [
    {
      file: 'tests/browser/preview-origin.test.ts',
      title: 'the page has its own cookies in the frame, and none of the app',
    },
  ],
  'a preview ends within 5 s of the session that opened it': [
    { file: 'tests/system/previews.test.ts', title: 'until they sign out: then open connections end within 5 s' },
  ],
  'the pool is never sparse, and writes are rejected before it is full': [
    {
      file: 'packages/disk-store/src/btrfs-disk-store.system.test.ts',
      title: 'is fully allocated, also after files are deleted and trimmed, and is mounted safely',
    },
    {
      file: 'packages/disk-store/src/btrfs-disk-store.system.test.ts',
      title: 'keeps its reserve: all disks together cannot use it, and no new disk is created',
    },
  ],
  'no sandbox reaches another one': [
    {
      file: isolation,
      title: 'does not reach another sandbox, which the gateway reaches, nor one of another installation',
    },
    {
      file: isolation,
      title: 'does not reach services of the machine or the router on any address, loopback included',
    },
  ],
  'every name that the host sees': [
    {
      file: 'packages/sandbox-network/src/linux-sandbox-network.system.test.ts',
      title: 'two installations choose different ranges',
    },
  ],
  'data that crosses a boundary is parsed with a schema once, at the edge': [
    { file: 'apps/server/src/bad-input.test.ts', title: 'rejects every bad request with its code' },
    {
      file: 'packages/protocol/src/host/contract.test.ts',
      title: 'an order that cannot be parsed is rejected before it is executed',
    },
    {
      file: 'packages/protocol/src/host/contract.test.ts',
      title: 'a response that is neither an error nor a value of the call is rejected as unknown',
    },
  ],
  'errors have a permanent code and a kind': [
    {
      file: 'deploy/build/generate-docs.test.ts',
      title: 'gives every error a sentence on what to do, with nothing undefined in it',
    },
  ],
  'the app shows only what the guest, the gateway or the server measured': [
    {
      file: 'apps/web/src/sandboxes/sandbox/state/chip.logic.test.ts',
      title: 'says when the sandbox pauses while nothing keeps it awake, and nothing if that is unknown',
    },
    {
      file: 'apps/web/src/sandboxes/sandbox/state/notice.logic.test.ts',
      title: 'a missing number of a notice is not zero',
    },
    {
      file: 'tests/browser/sandbox-panel.test.ts',
      title: 'says that it could not be read, and shows the last known values',
    },
  ],
  'typed text is never lost': [
    { file: 'tests/browser/search.test.ts', title: 'typed text is kept, and the app reconnects automatically' },
  ],
  'every string is referenced by key and exists in every language': [
    {
      file: 'apps/web/src/i18n/texts.test.ts',
      title: 'have exactly the keys of English, with each plural form of the language',
    },
    { file: 'apps/web/src/i18n/texts.test.ts', title: 'every key is used' },
  ],
}
