import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readInstallation } from './data-directory.ts'
import { stopSandboxes } from './stop-sandboxes.ts'

/** Runs `stopSandboxes` against a host daemon that responds with `answer`, and returns the requests it received. */
async function stopWith(answer: RequestListener) {
  const folder = mkdtempSync(join(tmpdir(), 'stop-sandboxes-'))
  const socket = join(folder, 'host.sock')
  const asked: string[] = []
  const host = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  }).listen(socket)
  await once(host, 'listening')
  writeFileSync(join(folder, 'threadbox.env'), `THREADBOX_INSTALLATION=unit00\nTHREADBOX_HOST_SOCKET=${socket}\n`)
  try {
    return { asked, outcome: await stopSandboxes(readInstallation(folder)) }
  } finally {
    host.close()
    rmSync(folder, { recursive: true })
  }
}

test('a host that cannot be reached, or refuses, is an error', async () => {
  await expect(stopWith((_, response) => response.destroy())).rejects.toThrow('socket hang up')
  await expect(stopWith((_, response) => response.writeHead(500).end('{}'))).rejects.toMatchObject({
    code: 'installation.sandboxes-not-stopped',
  })
})

test('one order stops all sandboxes, and each that did not stop is named with the reason', async () => {
  const failed = [
    { sandboxId: 's1', reason: 'its disk is gone' },
    { sandboxId: null, reason: 'busy' },
  ]
  const { asked, outcome } = await stopWith((_, response) =>
    response.end(JSON.stringify({ stopped: ['s0', 's2'], failed })),
  )
  expect(asked).toEqual(['POST /v1/shutdown'])
  expect(outcome).toEqual({
    stopped: ['s0', 's2'],
    failed: ['s1 (its disk is gone)', 'a spare (busy)'],
  })
})
