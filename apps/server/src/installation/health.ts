import { Hono } from 'hono'
import type { ApiEnv } from '../platform/http/api.ts'

export type HealthChecks = Readonly<Record<string, () => Promise<unknown>>>

/** One check of the parts answers all probes of this time, so that probes cost nothing. */
const freshMs = 1000
const limitMs = 2000

/**
 * `/healthz`: this process responds. `/readyz`: also everything it needs does; 503 names what doesn’t. Both need no
 * sign-in, under any name, and say nothing else.
 */
export function healthPages({ checks, now }: { checks: HealthChecks; now(): number }): Hono<ApiEnv> {
  const pages = new Hono<ApiEnv>()
  let latest: { at: number; ready: Promise<Record<string, boolean>> } | undefined
  const check = () => {
    if (latest === undefined || now() - latest.at >= freshMs) latest = { at: now(), ready: checkParts(checks) }
    return latest.ready
  }
  pages.get('/healthz', (context) => context.json({ ok: true }, 200, { 'cache-control': 'no-store' }))
  pages.get('/readyz', async (context) => {
    const parts = await check()
    const isReady = Object.values(parts).every(Boolean)
    return context.json({ ok: isReady, parts }, isReady ? 200 : 503, { 'cache-control': 'no-store' })
  })
  return pages
}

async function checkParts(checks: HealthChecks): Promise<Record<string, boolean>> {
  const entries = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, boolean]> => {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => late.reject(new Error('too late')), limitMs)
      const isReady = await Promise.race([check(), late.promise]).then(
        () => true,
        () => false,
      )
      clearTimeout(timer)
      return [name, isReady]
    }),
  )
  return Object.fromEntries(entries)
}
