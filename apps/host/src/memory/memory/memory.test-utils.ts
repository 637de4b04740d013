import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Manifest, RescueReport } from '@threadbox/protocol/guest'
import { type HostSandbox, hostPaths, hostSandboxSchema } from '@threadbox/protocol/host'
import type { HostUnderTest } from '../../host.test-utils.ts'

export const manifest: Manifest = {
  version: 1,
  takenAt: 1,
  processes: [],
  ports: [],
  connections: [
    {
      kind: 'tcp',
      scope: 'outside',
      state: 'established',
      pid: 7,
      local: '198.18.0.2:40000',
      remote: '192.0.2.1:443',
    },
  ],
  kernels: [],
  shell: { cwd: '/home/user', environment: {}, functions: [], parts: {} },
  packages: { python: {}, apt: {}, npm: {} },
  writtenFiles: [],
  deletedOpenFiles: [],
  memoryFiles: [],
  memoryBytes: 1,
  unread: [],
}

export const rescueReport: RescueReport = {
  state: 'pending',
  takenAt: 1,
  variables: [],
  shell: { outcome: 'kept', reason: '' },
  processes: [],
  durationMs: 1,
  problems: [],
}

export const budgets = { timeBudgetMs: 1000, totalBytes: 1000, variableBytes: 1000 }

/** A guest that reports what is alive, and keeps nothing. Records every request. */
export function answeringGuest() {
  const asked: string[] = []
  const behaviour = (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = request.url?.startsWith('/manifest') ? manifest : request.url === '/rescue' ? rescueReport : {}
    response.end(JSON.stringify(answer))
  }
  return { asked, behaviour }
}

type Sandbox = { sandboxId: string; bootId: string }

export function ordersOf(host: HostUnderTest, { sandboxId, bootId }: Sandbox) {
  const post = (path: string, body: unknown) => host.request('POST', path, body)
  const state = async (): Promise<HostSandbox> =>
    hostSandboxSchema.parse((await host.request('GET', hostPaths.get(sandboxId))).body)
  return {
    state,
    pause: (more: { hashKey?: string } = {}) => post(hostPaths.pause(sandboxId), { bootId, ...more }),
    abandonPause: () => post(hostPaths.abandonPause(sandboxId), { bootId }),
    wake: () => post(hostPaths.wake(sandboxId), { bootId }),
    demote: () => post(hostPaths.demote(sandboxId), { bootId, budgets }),
    stop: () => post(hostPaths.stop(sandboxId), { bootId }),
    startFresh: () => post(hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'box' }),
    fileChanges: () => host.request('GET', hostPaths.fileChanges(sandboxId)),
    diskPath: async () => (await host.disks.getDisk(sandboxId)).path,
    /** The memory of the sandbox's running boot, under any driver name; undefined if none runs. */
    memory: async () => {
      const running = (await host.driver.list()).filter((boot) => boot.state === 'running')
      const own = running.find((boot) => boot.sandboxId === sandboxId)
      return own === undefined ? undefined : host.driver.memoryOf(own.bootId)
    },
  }
}

export function codeOf(answer: { status: number; body: unknown }): [number, string | undefined] {
  return [answer.status, (answer.body as { error?: { code: string } } | undefined)?.error?.code]
}
