import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import type { TestInstallation } from '../stack/installation.ts'

export const processNames = ['server', 'host', 'gateway'] as const
export type ProcessName = (typeof processNames)[number]
/**
 * `peak` includes garbage. `left` is what remains a while after the last request: of server and host daemon, after their
 * garbage was collected.
 */
export type Growth = { peak: number; left: number }
export type Figures = { growthMebibytes: Growth; lagMs: { p95: number; most: number } }

const mebibyte = 1024 * 1024
const sampleEveryMs = 100

/**
 * Watches memory and responsiveness of the product’s processes from now on. The result stops it, and returns how far
 * each grew, and how long each took for a request that costs nothing. What is left is the least within `settleMs`
 * after that: V8 returns memory to the system when a program has been idle for some seconds. Server and host daemon are
 * measured with `makeBusyTime`, and collect their garbage first.
 */
export async function watchProcesses(
  installation: TestInstallation,
  { settleMs }: { settleMs: number },
): Promise<() => Promise<Record<ProcessName, Figures>>> {
  const { host, server } = installation
  const pids = { server: server.pid(), host: host.pid(), gateway: await host.gatewayPid() }
  const asks = {
    server: () => ask({ host: '127.0.0.1', port: server.port, path: '/api/v1/setup' }),
    host: () => ask({ socketPath: host.socketPath, path: hostPaths.info() }),
    gateway: () => ask({ socketPath: host.gatewaySocketPath, path: '/' }),
  }
  const stopped = new AbortController()
  const watching = processNames.map(async (name) => {
    const first = await residentBytes(pids[name])
    let most = first
    const lags: number[] = []
    while (!stopped.signal.aborted) {
      const startedAt = performance.now()
      await asks[name]()
      lags.push(performance.now() - startedAt)
      most = Math.max(most, await residentBytes(pids[name]))
      await delay(sampleEveryMs)
    }
    if (name !== 'gateway') process.kill(pids[name], 'SIGUSR2')
    const left = await leastSoon(pids[name], settleMs)
    const growthMebibytes = { peak: Math.round((most - first) / mebibyte), left: Math.round((left - first) / mebibyte) }
    return [name, { growthMebibytes, lagMs: { p95: percentile(lags, 0.95), most: percentile(lags, 1) } }] as const
  })
  return async () => {
    stopped.abort()
    return Object.fromEntries(await Promise.all(watching)) as Record<ProcessName, Figures>
  }
}

async function leastSoon(pid: number, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs
  let least = await residentBytes(pid)
  while (performance.now() < until) {
    await delay(sampleEveryMs)
    least = Math.min(least, await residentBytes(pid))
  }
  return least
}

/** Rounded, in the unit of the values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

async function ask(target: { path: string; host?: string; port?: number; socketPath?: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const asked = request({ ...target, agent: false }, (response) => {
    response.resume()
    response.once('end', resolve)
    response.once('error', reject)
  })
  asked.once('error', reject)
  asked.end()
  await promise
}
