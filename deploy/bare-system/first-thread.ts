import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/**
 * The first minute of a new owner, over the API: signs up with the link’s token, creates a thread, runs a command in
 * it, and prints its output and duration. Uses nothing but Node.
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '7717' }, 'data-dir': { type: 'string', default: '/var/lib/threadbox' } },
})
const answerWithinMs = 60_000

const environment = readFileSync(join(values['data-dir'], 'threadbox.env'), 'utf8')
const origin = /^THREADBOX_ADDRESS=(.*)$/m.exec(environment)?.[1] ?? ''
const token = readFileSync(join(values['data-dir'], 'server/owner-token'), 'utf8').trim()
let cookie = ''

await call('POST', '/auth/sign-up', {
  token,
  name: 'Owner',
  email: 'owner@example.com',
  password: 'correct horse battery',
})
const { id } = (await call('POST', '/threads', {})) as { id: string }
const commands = ['/run uname -a; id -un; cat /etc/debian_version', '/python import pandas; print(pandas.__version__)']
for (const [index, text] of commands.entries()) {
  const startedAt = performance.now()
  await call('POST', `/threads/${id}/messages`, { text, key: crypto.randomUUID() })
  const output = await outputOf(index)
  process.stdout.write(`${text}\n${output.trimEnd().replaceAll(/^/gm, '    ')}\n`)
  process.stdout.write(`  ${Math.round(performance.now() - startedAt)} ms\n`)
}

/** Polls until the call with this number has ended; returns its output. */
async function outputOf(index: number): Promise<string> {
  const until = performance.now() + answerWithinMs
  for (;;) {
    const { entries } = (await call('GET', `/threads/${id}/entries`)) as { entries: Entry[] }
    const one = entries.filter((entry) => entry.kind === 'tool-call')[index]
    if (one?.status === 'succeeded') return one.output?.tail ?? ''
    const isUnderWay = one === undefined || one.status === 'waiting' || one.status === 'running'
    if (!isUnderWay || performance.now() > until) throw new Error(`no output: ${JSON.stringify(entries)}`)
    await setTimeout(50)
  }
}

type Entry = { kind: string; status?: string; output?: { tail: string } }

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const sent = request({
    method,
    host: '127.0.0.1',
    port: values.port,
    path: `/api/v1${path}`,
    headers: { host: new URL(origin).host, origin, cookie, 'content-type': 'application/json' },
  })
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  sent.once('error', reject)
  sent.once('response', async (response) => {
    const text = (await response.toArray()).join('')
    if ((response.statusCode ?? 500) >= 300)
      return reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`))
    cookie = response.headers['set-cookie']?.map((line) => line.split(';')[0]).join('; ') ?? cookie
    resolve(text === '' ? undefined : JSON.parse(text))
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return await promise
}
