import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Installation } from './data-directory.ts'
import { previewChecks } from './preview-checks.ts'

async function checked(answers: (host: string) => Record<string, string>, baseDomain = '') {
  const server = createServer((request, response) => {
    response.writeHead(401, answers(request.headers.host ?? '')).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const environment = { THREADBOX_PORT: String(port), THREADBOX_BASE_DOMAIN: baseDomain }
  const installation = { environment, settings: { installation: 'abc123' } } as unknown as Installation
  const checks = await previewChecks(installation, async (name) => (name.startsWith('app.') ? '192.0.2.1' : undefined))
  server.close()
  return { port, states: checks.map(({ id, state }) => `${id} ${state}`) }
}

test('O12: doctor requests the name of a preview from the server', async () => {
  let asked = ''
  const { port, states } = await checked((host) => {
    asked = host
    return { 'threadbox-preview': 'private' }
  })
  expect(asked).toBe(`1-doctor.abc123.localhost:${port}`)
  expect(states).toEqual(['preview-door ok', 'preview-names ok', 'preview-browser skipped'])
})

test('O12: doctor reports a server that does not serve previews, and preview names that do not resolve', async () => {
  const { states } = await checked(() => ({}), 'box.example.com')
  expect(states).toEqual(['preview-door failed', 'preview-names warning', 'preview-browser skipped'])
})
