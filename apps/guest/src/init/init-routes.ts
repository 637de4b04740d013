import { statfs } from 'node:fs/promises'
import { cpus } from 'node:os'
import {
  accessTokenHeader,
  type DiskSpace,
  envdVersion,
  type GuestHello,
  guestProtocolVersion,
} from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { GuestState } from '../ground/guest-state.ts'
import { readJson, sendJson } from '../ground/http.ts'
import { headerOf, type Route } from '../ground/server.ts'
import type { ReadActivity } from '../processes/activity.ts'
import { readMemory } from '../watchdog/memory.ts'
import type { Handshake } from './waking.ts'

/** The guest's own routes: health, handshake, environment, metrics, activity. */
export function initRoutes(dependencies: {
  state: GuestState
  guestVersion: string
  activity: ReadActivity
  /** The first thing of the user’s that runs; null if nothing does. */
  restObstacle: () => Promise<string | null>
  cpuUsedPercent: () => number
  /** Undefined until the host has reported it. */
  diskSpace: () => DiskSpace | undefined
  /** Called with each accepted handshake, before the response. */
  awoken(handshake: Handshake): Promise<void>
  logger: Logger
}): Route[] {
  const { state, logger } = dependencies
  return [
    {
      method: 'GET',
      path: '/health',
      access: 'open',
      handle: (_request, response) => void response.writeHead(204, { 'x-envd-version': envdVersion }).end(),
    },
    {
      method: 'POST',
      path: '/init',
      access: 'open',
      handle: async (request, response) => {
        const body = await readJson(request)
        const isFirst = !state.isReady()
        const applied = state.apply({ body, presented: headerOf(request, accessTokenHeader) })
        const { bootId, origin } = applied
        logger.info({ bootId, origin, clockBehindMs: applied.timestampMs - Date.now() }, 'handshake')
        await dependencies.awoken({ settings: applied, isFirst, connection: request.socket })
        const hello: GuestHello = {
          protocolVersion: guestProtocolVersion,
          guestVersion: dependencies.guestVersion,
          bootId: applied.bootId,
        }
        sendJson(response, { body: hello })
      },
    },
    {
      method: 'GET',
      path: '/envs',
      access: 'token',
      handle: (_request, response) => sendJson(response, { body: state.settings().envVars }),
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'token',
      handle: async (_request, response) => sendJson(response, { body: await metrics(dependencies) }),
    },
    {
      method: 'GET',
      path: '/activity',
      access: 'token',
      handle: async (request, response) => {
        const isForRest = new URL(request.url ?? '/', 'http://guest').searchParams.get('rest') === '1'
        const rest = isForRest ? { restObstacle: await dependencies.restObstacle() } : {}
        sendJson(response, { body: { ...dependencies.activity(), ...rest } })
      },
    },
  ]
}

async function metrics({ cpuUsedPercent, diskSpace }: Parameters<typeof initRoutes>[0]) {
  const memory = readMemory()
  const disk = diskSpace() ?? (await poolSpace())
  return {
    ts: Math.floor(Date.now() / 1000),
    cpu_count: cpus().length,
    cpu_used_pct: cpuUsedPercent(),
    mem_total: memory.totalBytes,
    mem_used: memory.usedBytes,
    mem_cache: memory.cacheBytes,
    disk_used: disk.usedBytes,
    disk_total: disk.limitBytes,
  }
}

async function poolSpace(): Promise<DiskSpace> {
  const { blocks, bfree, bsize } = await statfs('/')
  return { usedBytes: (blocks - bfree) * bsize, limitBytes: blocks * bsize }
}
