import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { makeGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { type LocalPrograms, makeLocalPrograms } from './local-programs.test-utils.ts'
import type { ProgramAddress } from './mcp-session.ts'
import { makeLastWords } from './program.logic.ts'
import { makeLineReader } from './program-lines.logic.ts'
import { makeSessions, type Sessions } from './sessions.ts'

const secret = 'canary-9f8e7d'

/** A short server with one tool. `answer` runs when the tool is called, `first` before everything else. */
const script = (more: { answer?: string; first?: string; older?: boolean }) => `
const send = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n')
${more.first ?? ''}
let rest = ''
process.stdin.on('data', (bytes) => {
  const lines = (rest + bytes).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: {
      protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' } } })
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'do', inputSchema: { type: 'object' } }] } })
    else if (method === 'tools/call') { ${more.answer ?? "send({ id, result: { content: [{ type: 'text', text: process.env.TOKEN ?? 'none' }] } })"} }
    else if (id !== undefined && method !== undefined) ${more.older ? 'process.exit(3)' : "send({ id, error: { code: -32601, message: 'no' } })"}
  }
})
process.stdin.on('end', () => process.exit(0))
`

let programs: LocalPrograms
let sessions: Sessions
/** Sessions with a short timeout, for programs that never respond. */
let hasty: Sessions
let fetch: ReturnType<typeof makeGuardedFetch>
beforeEach(() => {
  programs = makeLocalPrograms()
  const limits = { connectTimeoutMs: 1000, headersTimeoutMs: 1000, maxAnswerMebibytes: 1 }
  fetch = makeGuardedFetch({ allowed: allowedAddressesOf(''), ...limits })
  const options = { fetch, programs, timeoutSeconds: 30, maxAnswerMebibytes: 1, version: '0', now: Date.now }
  sessions = makeSessions(options)
  hasty = makeSessions({ ...options, timeoutSeconds: 2 })
})
afterEach(async () => {
  await sessions.close()
  await hasty.close()
  await fetch[Symbol.asyncDispose]()
  await expect.poll(() => programs.running).toBe(0)
})

const addressOf = (args: string[], command = process.execPath): ProgramAddress => ({
  kind: 'program',
  connectionId: 'q1',
  command,
  args,
  environment: { TOKEN: secret },
  secrets: [secret],
})
const { signal } = new AbortController()
async function call(more: Parameters<typeof script>[0], threadId = 't1') {
  return await sessions.call(
    { connectionId: 'q1', revision: 1, threadId },
    {
      address: addressOf(['-e', script(more)]),
      signal,
      onList: async () => undefined,
      make: (session) => session.call('do', {}, signal),
    },
  )
}
const codeOf = async (work: Promise<unknown>) => {
  try {
    await work
  } catch (error) {
    return error as { code: string; message: string }
  }
  throw new Error('it worked')
}

describe('a program', () => {
  it('G9: receives requests on stdin and responds on stdout, in one process per conversation', async () => {
    const answer = { content: [{ type: 'text', text: secret }] }
    expect(await call({})).toMatchObject(answer)
    expect(await call({})).toMatchObject(answer)
    expect(programs.started).toBe(1)
    expect(await call({}, 't2')).toMatchObject(answer)
    expect(programs).toMatchObject({ started: 2, failures: 0 })
  })

  it('G9: that exits on the probe for the newer protocol is restarted with the older one', async () => {
    expect(await call({ older: true })).toMatchObject({ content: [{ type: 'text' }] })
    expect(programs).toMatchObject({ started: 2, failures: 0 })
  })

  it('G9: may print lines that are not messages; they are ignored', async () => {
    const first = "console.log('Welcome!'); console.log('[]'); console.log('{'); console.log(''); console.error('x')"
    expect(await call({ first })).toMatchObject({ content: [{ type: 'text' }] })
  })

  it.each([
    ['does not exist', { command: '/nowhere/program' }, 'connection.program-not-started', 'no such program'],
    [
      'exits immediately, with its last words but no secret',
      { first: `console.error('no ' + process.env.TOKEN); process.exit(7)` },
      'connection.program-ended',
      'exit status 7). Last output: no [secret]',
    ],
    [
      'prints on stdout why it exits',
      { first: `console.log('port is taken'); process.exit(1)` },
      'connection.program-ended',
      'port is taken',
    ],
    ['exits in the middle of a call', { answer: 'process.exit(9)' }, 'connection.program-ended', 'exit status 9'],
    [
      'sends a line without an end',
      { answer: `setInterval(() => process.stdout.write('x'.repeat(65536)), 0)` },
      'connection.answer-too-large',
      '1 MiB',
    ],
    [
      'sends 100 MB in one message',
      { answer: `send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(1e8) }] } })` },
      'connection.answer-too-large',
      '1 MiB',
    ],
    [
      'prints endless errors',
      { answer: `setInterval(() => process.stderr.write('e'.repeat(65536)), 0)` },
      'connection.answer-too-large',
      '1 MiB',
    ],
    [
      'sends a storm of errors',
      {
        answer: `setInterval(() => { for (let i = 0; i < 500; i++) send({ id: 7e6 + i, error: { code: 1, message: '' } }) }, 0)`,
      },
      'connection.answer-',
      '',
    ],
    [
      'sends endless unsupported requests',
      { answer: `setInterval(() => { for (let i = 0; i < 500; i++) send({ id: i, method: 'roots/list' }) }, 0)` },
      'connection.answer-invalid',
      'too many unsolicited messages',
    ],
    ['never responds', { answer: '' }, 'connection.timed-out', '2 seconds'],
    [
      'responds to another request',
      { answer: `send({ id: 'other', result: {} })` },
      'connection.timed-out',
      '2 seconds',
    ],
    [
      'responds in an invalid form',
      { answer: 'send({ id, result: { content: 7 } })' },
      'connection.answer-invalid',
      '',
    ],
    [
      'refuses, with the secret in its message',
      { answer: "send({ id, error: { code: -32000, message: 'bad ' + process.env.TOKEN } })" },
      'connection.request-refused',
      'bad [secret]',
    ],
  ] as const)(
    'G9: that %s gets its own error, and the next call starts it again',
    async (_what, { command, ...more }: { command?: string; first?: string; answer?: string }, code, words) => {
      const place = { connectionId: 'q1', revision: 1, threadId: 't1' }
      const work = { signal, onList: async () => undefined }
      const address = command === undefined ? addressOf(['-e', script(more)]) : addressOf([], command)
      const used = code === 'connection.timed-out' ? hasty : sessions
      const error = await codeOf(
        used.call(place, { ...work, address, make: (session) => session.call('do', {}, signal) }),
      )
      expect(error.code).toContain(code)
      expect(error.message).toContain(words)
      expect(error.message).not.toContain(secret)
      await expect.poll(() => programs.running).toBe(0)
      expect(await call({})).toMatchObject({ content: [{ text: secret }] })
    },
  )

  it('G9: that exited while unused is restarted by the next call', async () => {
    const answer = `send({ id, result: { content: [] } }); setTimeout(() => process.exit(1), 50)`
    expect(await call({ answer })).toMatchObject({ content: [] })
    await expect.poll(() => programs.running).toBe(0)
    expect(await call({ answer })).toMatchObject({ content: [] })
    expect(programs).toMatchObject({ started: 2, failures: 1 })
  })

  it('G9: that the user stops exits', async () => {
    const stop = new AbortController()
    const work = sessions.call(
      { connectionId: 'q1', revision: 1, threadId: 't1' },
      {
        address: addressOf(['-e', script({ answer: '' })]),
        signal: stop.signal,
        onList: async () => setTimeout(() => stop.abort(new Error('stopped')), 20) as never,
        make: (session) => session.call('do', {}, stop.signal),
      },
    )
    await expect(work).rejects.toThrow('stopped')
    await expect.poll(() => programs.running).toBe(0)
  })
})

describe('lines of a program', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  it('are complete however the stream was cut', () => {
    const reader = makeLineReader(100)
    expect(reader.push(bytes('a\nb'))).toEqual({ lines: ['a'], isTooLong: false })
    expect(reader.push(bytes('c\r\n\nd'))).toEqual({ lines: ['bc', ''], isTooLong: false })
    const euro = bytes('€\n')
    expect(reader.push(euro.subarray(0, 1)).lines).toEqual([])
    expect(reader.push(euro.subarray(1)).lines).toEqual(['d€'])
  })
  it('are not held beyond the limit', () => {
    expect(makeLineReader(4).push(bytes('12345'))).toEqual({ lines: [], isTooLong: true })
    expect(makeLineReader(4).push(bytes('1234\n12345\n'))).toEqual({ lines: ['1234'], isTooLong: true })
    const reader = makeLineReader(4)
    expect(reader.push(bytes('123')).isTooLong).toBe(false)
    expect(reader.push(bytes('45')).isTooLong).toBe(true)
  })
})

describe('last words of a program', () => {
  const words = () => makeLastWords((text) => text.replaceAll(secret, '[secret]'))
  it('are its last lines, without invisible characters', () => {
    const lastWords = words()
    for (let line = 0; line < 40; line++) lastWords.add(Buffer.from(`line ${line}\u0007\n`))
    expect(lastWords.text().split('\n')).toEqual(Array.from({ length: 12 }, (_, index) => `line ${28 + index}`))
  })
  it('never contain a part of a secret, wherever the kept output starts', () => {
    // The kept output starts in the middle of the secret; nothing that follows it is shown.
    for (let kept = 4; kept < secret.length; kept++) {
      const lastWords = words()
      lastWords.add(Buffer.from(`${secret}${'\u0007'.repeat(64 * 1024 - kept)}`))
      expect(lastWords.text()).toBe('–')
    }
  })
})
