import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Manifest } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { manifestRoutes } from './manifest-routes.ts'

const hashKey = '0123456789abcdef'.repeat(4)

test.each([
  ['before a pause', '', 1],
  ['of the server, with keep=1', '&keep=1', 0],
  ['after a turn, with glance=1', '&glance=1', 0],
])('a manifest %s ends what the guest can start again (%j): %i times', async (_what, query, times) => {
  let drops = 0
  const [route] = manifestRoutes({
    readManifest: Object.assign(async () => ({}) as Manifest, { warm: () => undefined }),
    dropUnused: async () => {
      drops += 1
    },
  })
  const server = createServer((request, response) => void route?.handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}/manifest?hashKey=${hashKey}${query}`)).status).toBe(200)
  expect(drops).toBe(times)
  server.closeAllConnections()
  server.close()
})
