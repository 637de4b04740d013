import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serve } from '@hono/node-server'
import { startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, expect, it, vi } from 'vitest'
import { makeTestApplication } from '../../apps/server/src/application.test-utils.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it.each(globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }))(
  '%s runs as it is on its page',
  async (file) => {
    await using host = await startHostStandIn()
    await using server = await makeTestApplication({ hostSocket: host.socketPath })
    const person = await server.signUpOwner()
    const key = (await (
      await server.call('POST', '/api/v1/api-keys', { person, body: { name: 'example' } })
    ).json()) as {
      secret: string
    }
    const { promise: port, resolve } = Promise.withResolvers<number>()
    const listener = serve({ fetch: server.app.fetch, port: 0, hostname: '127.0.0.1' }, (info) => resolve(info.port))
    vi.stubEnv('THREADBOX_URL', `http://127.0.0.1:${await port}`)
    vi.stubEnv('THREADBOX_API_KEY', key.secret)
    const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    try {
      await import(pathToFileURL(join(import.meta.dirname, file)).href)
      expect(printed).toHaveBeenCalled()
    } finally {
      listener.close()
    }
  },
)
