import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { account, connect } from './client.ts'

/**
 * Signs in, creates a thread, runs a command and Python with a package of the image in it, and prints their output and
 * duration. Uses nothing but Node.
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '7717' }, 'data-dir': { type: 'string', default: '/var/lib/threadbox' } },
})
const answerWithinMs = 60_000

const { call } = connect({ port: values.port, dataDirectory: values['data-dir'] })
await call('POST', '/auth/sign-in', { email: account.email, password: account.password })
const { id } = await call<{ id: string }>('POST', '/threads', {})
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
    const { entries } = await call<{ entries: Entry[] }>('GET', `/threads/${id}/entries`)
    const one = entries.filter((entry) => entry.kind === 'tool-call')[index]
    if (one?.status === 'succeeded') return one.output?.tail ?? ''
    const isUnderWay = one === undefined || one.status === 'waiting' || one.status === 'running'
    if (!isUnderWay || performance.now() > until) throw new Error(`no output: ${JSON.stringify(entries)}`)
    await setTimeout(50)
  }
}

type Entry = { kind: string; status?: string; output?: { tail: string } }
