/** An invariant of `docs/architecture.md`, by the words that it begins with, and tests that fail when it is broken. */
export type InvariantTest = { invariant: string; tests: readonly { file: string; title: string }[] }

const house = 'deploy/build/house/violations.test.ts'
const gateway = 'apps/host/src/boots/gateway/gateway.test.ts'
const access = 'apps/server/src/sandboxes/state/sandbox-access.test.ts'
const recovery = 'apps/server/src/turns/engine/turns-recovery.test.ts'
const isolation = 'tests/system/isolation.test.ts'

/** In the order of the page. Those that no test names are kept by types and by `npm run check`, or are proven by the tests of their promise. */
export const invariantTests: readonly InvariantTest[] = [
  {
    invariant: 'the gateway is the only road to a sandbox',
    tests: [
      { file: isolation, title: 'nobody but the gateway reaches a sandbox: no user of the machine, no neighbour' },
    ],
  },
  {
    invariant: 'imports point one way',
    tests: [
      { file: house, title: 'a feature does not import one to its right' },
      { file: house, title: 'another area is imported through its public interface' },
    ],
  },
  {
    invariant: 'who may do what with threads and workspaces is decided by role',
    tests: [
      {
        file: 'packages/domain/src/roles.test.ts',
        title: 'an owner may do everything, nobody without a role anything, and what is no role is none',
      },
    ],
  },
  {
    invariant: 'every order to a host carries the id of the boot it means and is refused for another',
    tests: [
      { file: gateway, title: 'an order for another boot is refused before the sandbox hears of it' },
      {
        file: 'tests/system/host-lifecycle.test.ts',
        title: 'orders can be sent again, and an order for another boot is refused',
      },
    ],
  },
  {
    invariant: 'a boot that ended by itself leaves its disk',
    tests: [
      {
        file: access,
        title:
          'a boot that ended is told in the thread with its cause, and the next call starts another on the same disk',
      },
      {
        file: 'tests/system/host-lifecycle.test.ts',
        title: 'ends the boot with its cause, and the next start works on the same files',
      },
    ],
  },
  {
    invariant: 'start-up is reclaim',
    tests: [
      {
        file: 'tests/system/host-lifecycle.test.ts',
        title: 'a daemon that is killed in the middle of starts leaves no boot that nobody knows',
      },
      {
        file: 'tests/system/host-lifecycle.test.ts',
        title: 'a deletion that a SIGKILL of the daemon interrupts is finished by the next one',
      },
    ],
  },
  {
    invariant: 'a finished tool call is never run again',
    tests: [
      { file: recovery, title: 'that was recorded before a crash and never started runs once, in the same boot' },
      {
        file: 'tests/system/durability.test.ts',
        title: 'at each moment of a turn: a side effect happens exactly once or is marked interrupted',
      },
    ],
  },
  {
    invariant: 'what is cut short for the model (head and tail of long output) is whole for the person',
    tests: [
      {
        file: 'apps/server/src/turns/tools/tools.test.ts',
        title: 'is whole for the user; the model gets head and tail and the path of the rest',
      },
      { file: 'tests/system/flood.test.ts', title: 'all of it is kept for the person' },
    ],
  },
  {
    invariant: 'a transcript is valid for every provider at every moment',
    tests: [
      {
        file: 'apps/server/src/turns/engine/history.models.test.ts',
        title: 'has a result for every call, also for one that never ended',
      },
    ],
  },
  {
    invariant: 'memory and disk of a fork are of the same moment',
    tests: [
      {
        file: 'tests/system/fork-kills.test.ts',
        title: 'of a live fork that runs when its server is killed nothing is left; the source goes on with its memory',
      },
    ],
  },
  {
    invariant: 'a disk that was exchanged in a rewind never meets memory of another moment',
    tests: [
      {
        file: 'tests/system/rewind-kills.test.ts',
        title: 'killed at any moment of a rewind, conversation, disk and memory are of one moment',
      },
    ],
  },
  {
    invariant: 'nothing inside a sandbox can change `/skills`',
    tests: [{ file: 'tests/system/skills.test.ts', title: 'nobody inside can change them, root neither' }],
  },
  {
    invariant: 'capturing a computer changes nothing of its thread',
    tests: [
      { file: 'tests/system/agents.test.ts', title: 'a configured thread is saved without its secrets' },
      {
        file: 'tests/system/fork-kills.test.ts',
        title: 'of a computer that is being copied for an agent nothing is left when its server is killed',
      },
    ],
  },
  {
    invariant: 'an agent that comes in a file reaches nothing but the disk that is made of it',
    tests: [{ file: 'tests/system/agent-file.test.ts', title: 'is refused, and leaves nothing on the pool' }],
  },
  {
    invariant: 'what starts a run is recorded with it in one transaction',
    tests: [
      {
        file: 'tests/system/runs.test.ts',
        title: 'a server that is killed again and again loses no run and starts none twice',
      },
    ],
  },
  {
    invariant: 'in a run, what a person would have to allow is denied',
    tests: [
      {
        file: 'apps/server/src/workflows/runs/runs.test.ts',
        title: 'what needs approval is denied, and the run has failed and says of what',
      },
    ],
  },
  {
    invariant: 'a secret of a connection is in no sandbox but that of the connection itself',
    tests: [
      {
        file: 'tests/system/connection-programs.test.ts',
        title: 'the secret is in the sandbox of its connection, and in no thread, log, error, answer or database',
      },
    ],
  },
  {
    invariant:
      'a call of a connection is made only when the tool, as its server describes it at that moment, was allowed by a person',
    tests: [
      {
        file: 'apps/server/src/turns/engine/turns-connections.test.ts',
        title: 'an approval is void when the tool was changed since: it is asked again, with what it says now',
      },
    ],
  },
  {
    invariant: 'the token of a Git credential is in no sandbox',
    tests: [
      {
        file: 'tests/system/git-credentials.test.ts',
        title: 'the token is nowhere in the sandbox while git runs, nor in logs, errors and the audit log',
      },
    ],
  },
  {
    invariant: "a request without the boot's access token gets no answer from the guest",
    tests: [
      { file: 'apps/guest/src/tunnel/tunnel.test.ts', title: 'without the token of the boot there is no tunnel' },
      {
        file: 'tests/system/host-lifecycle.test.ts',
        title: 'the access token of a boot is nowhere in the log and in no answer',
      },
    ],
  },
  {
    invariant: 'looking at a terminal neither wakes a sandbox nor keeps it awake; typing does both',
    tests: [
      {
        file: 'tests/system/terminals.test.ts',
        title: 'a pause keeps the shell and what runs in it; looking wakes nothing, typing does',
      },
    ],
  },
  {
    invariant: 'what answers without a login beside signing in is the page of a link',
    tests: [
      {
        file: 'apps/server/src/workflows/sharing/thread-links.test.ts',
        title: 'a thread is private: without a link nothing of it is there, whatever is guessed',
      },
    ],
  },
  {
    invariant: "a page made in a sandbox never has the app's origin, cookies or headers",
    tests: [
      {
        file: 'tests/browser/preview-origin.test.ts',
        title: 'the page has its own cookies in the frame, and none of the app',
      },
    ],
  },
  {
    invariant: 'a preview ends within 5 s of the login that opened it',
    tests: [
      { file: 'tests/system/previews.test.ts', title: 'until they log out: then what is open is cut within 5 s' },
    ],
  },
  {
    invariant: 'no sandbox reaches another one',
    tests: [
      {
        file: isolation,
        title: 'does not reach another sandbox, which the gateway does reach, and not one of another installation',
      },
      { file: isolation, title: 'does not reach services of the machine on any of its addresses, loopback included' },
    ],
  },
  {
    invariant: 'every name that the machine sees',
    tests: [
      {
        file: 'packages/sandbox-network/src/linux-sandbox-network.system.test.ts',
        title: 'two installations choose different ranges',
      },
    ],
  },
  {
    invariant: 'errors have a permanent code and a kind',
    tests: [
      {
        file: 'deploy/build/generate-docs.test.ts',
        title: 'gives every error a sentence on what to do, with nothing undefined in it',
      },
    ],
  },
  {
    invariant: 'what a person typed is never lost',
    tests: [
      { file: 'tests/browser/search.test.ts', title: 'what was typed is kept, and the app reconnects by itself' },
    ],
  },
]
