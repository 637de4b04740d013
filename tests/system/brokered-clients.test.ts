import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { repeats } from '@threadbox/testkit/repeats'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleWheel } from '../stack/example-wheel.ts'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import type { ArrivedRequest } from './brokered-clients/arrived-request.ts'
import { brokeredOnly, clients, environment } from './brokered-clients/clients.ts'
import { send } from './brokered-clients/pseudo-random.ts'
import { type HostsOutside, startHostsOutside } from './isolation/hosts-outside.ts'

const host = 'api.site.test'
/** The same host under a name without a secret: what comes of a client without the broker. */
const directHost = 'direct.site.test'
const value = 'sk-live-7hQ2mWx9KcT4vNz8'
const name = 'API_TOKEN'
const place = '/tmp/clients'
const folder = path.join(import.meta.dirname, 'brokered-clients')

type Result = { name: string; way: 'direct' | 'brokered'; code: number; said: string; noted: string; seconds: number }

const MiB = 1024 * 1024
/** A second of an idle machine can be ten of one that does other things. */
const slowness = 10

const stack = new AsyncDisposableStack()
let installation: TestInstallation
let outside: HostsOutside
let thread: TestThread
/** What programs have in the variable of the secret, with the time since the grant. */
let inPrograms: Record<string, { said: string; afterMs: number }>
let grantedAt: number
let grantMs: number
let results: Result[]
let arrived: ArrivedRequest[]

beforeAll(async () => {
  const main = path.join(folder, 'upstream.main.ts')
  outside = stack.use(
    await startHostsOutside({
      subnet: 87,
      names: [host, directHost],
      argumentsIn: ({ directory, address }) => [main, directory, address, value],
    }),
  )
  installation = stack.use(await startInstallation({ hostEnvironment: outside.hostEnvironment }))
  thread = await installation.newThread()
  await bringClients()
  await cell(thread, 'import os')
  grantedAt = performance.now()
  await grant()
  grantMs = performance.now() - grantedAt
  inPrograms = await inspectPrograms()
  results = await runClients()
  arrived = await requests()
})
afterAll(() => stack.disposeAsync())

test('G9: the next command, the next cell of a kernel that runs, and a new service have the placeholder', () => {
  console.log(`granted in ${Math.round(grantMs)} ms`, inPrograms)
  for (const program of ['command', 'kernel', 'service']) expect(inPrograms[program]?.said).toMatch(/^tbx\w+$/)
  expect(grantMs).toBeLessThan(2000 * slowness)
})

test.each(Object.keys(clients))('G9: %s works with a placeholder as with the value', (client) => {
  const [direct, brokered] = ['direct', 'brokered'].map((way) => {
    const found = results.find((result) => result.name === client && result.way === way)
    return { code: found?.code, said: found?.said, noted: found?.code === 0 ? '' : found?.noted }
  })
  const times = results
    .filter((result) => result.name === client)
    .map(({ way, seconds, noted }) => `${way} ${seconds} s ${noted.trim()}`)
  console.log(`${client}: ${times.join(', ')}`)
  expect(brokered).toMatchObject({ code: 0, said: expect.stringMatching(/\S/) })
  if (!brokeredOnly.includes(client)) expect(brokered).toEqual(direct)
})

test('G9: the host gets the same requests from all clients, with the value where the placeholder was', () => {
  const of = (from: string) =>
    arrived
      .filter((request) => request.host === from && !brokeredOnly.includes(request.text.split(/[ /]/)[3] ?? ''))
      .map(({ text }) => text.replace(/team\/(direct|brokered)/, 'team'))
      .toSorted()
  expect(of(host)).toEqual(of(directHost))
  expect(of(host).filter((request) => request.includes(value)).length).toBeGreaterThan(100)
})

test('G9: a large file comes down and goes up through the broker unchanged', async () => {
  const size = repeats({
    what: 'MiB of a file that a sandbox gets and sends through the broker',
    byDefault: 32,
    full: 1024,
  })
  const egress = await installation.host.egressPid()
  const expected = createHash('sha256')
  await send(expected, size * MiB)
  const digest = expected.digest('hex')
  // From here on, the highest is that of the transfers.
  await writeFile(`/proc/${egress}/clear_refs`, '5')
  const before = await memoryOf(egress)
  const began = performance.now()
  const curl = (version: string) => `curl -sS --${version} -H "Authorization: Bearer $${name}"`
  const commands = [
    `cd ${place}`,
    `${curl('http2')} -o large "https://${host}/large/down?bytes=${size * MiB}"`,
    'sha256sum < large',
    `${curl('http1.1')} -T large https://${host}/large/up`,
    'echo',
    `${curl('http2')} -T - https://${host}/large/up < large`,
  ]
  const said = await output(thread, commands.join(' && '))
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${size} MiB down and twice up in ${seconds} s; memory of egress: ${before}; after: ${await memoryOf(egress)}`,
  )
  expect(said.trim().split('\n')).toEqual([`${digest}  -`, `${size * MiB} ${digest}`, `${size * MiB} ${digest}`])
})

test('G9: what is revoked is used by no open connection anymore, and streams that used it end', async () => {
  const secretId = await grant()
  const start = `cd ${place} && rm -f stop && HOST=${host} TOKEN=$${name} nohup node node-clients.js untilRevoked > log 2>&1 &`
  await output(thread, start)
  await requests()
  const seen: ArrivedRequest[] = []
  const paths = ['/kept1/echo', '/kept2/echo', '/kept/events']
  const missing = async () => {
    seen.push(...(await requests()))
    return paths.filter((path) => !seen.some(({ text }) => text.includes(path) && text.includes(value)))
  }
  await expect.poll(missing, { timeout: 120_000 }).toEqual([])
  const revokedAt = Date.now()
  await installation.client.secrets.revoke(thread.id, secretId)
  const doneAt = Date.now()
  const more = 'for i in $(seq 1000); do [ $(wc -l < log) -gt $((n + 40)) ] && break; sleep 0.05; done'
  const log = await output(thread, `cd ${place} && n=$(wc -l < log) && ${more}; touch stop; cat log`)
  seen.push(...(await requests()))
  const uses = seen.filter(({ text }) => text.includes(value)).map(({ at }) => at)
  const lastMs = Math.max(...uses) - revokedAt
  const streamMs = Number(/^(\d+) the stream has ended$/m.exec(log)?.[1]) - revokedAt
  console.log(
    `of ${uses.length} uses, the last was ${lastMs} ms after the request to revoke, which took ${doneAt - revokedAt} ms`,
  )
  console.log(`the stream ended ${streamMs} ms after the request`)
  expect(lastMs).toBeLessThan(1000 * slowness)
  expect(streamMs).toBeLessThan(1000 * slowness)
  // Both asked on, with what means nothing now.
  for (const path of paths.slice(0, 2)) {
    const last = seen.filter(({ text }) => text.includes(path)).slice(-3)
    for (const { text } of last) expect(text).not.toContain(value)
  }
})

/** Puts the clients, and the package that they install, where they need them. */
async function bringClients(): Promise<void> {
  const bundled = await build({
    entryPoints: [path.join(folder, 'node-clients.main.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    logLevel: 'warning',
  })
  const jobs = (['direct', 'brokered'] as const).flatMap((way) =>
    namesOf(way).map((client) => ({
      name: client,
      way,
      command: `set -e\n${clients[client]}`,
      environment: {
        ...environment,
        CLIENTS: place,
        WAY: way,
        HOST: way === 'direct' ? directHost : host,
        ...(way === 'direct' ? { TOKEN: value } : {}),
      },
    })),
  )
  const brought: Record<string, Uint8Array> = {
    'node-clients.js': bundled.outputFiles[0]?.contents ?? new Uint8Array(),
    'python-clients.py': await readFile(path.join(folder, 'python-clients.py')),
    'run-clients.py': await readFile(path.join(folder, 'run-clients.py')),
    'make-wheel.py': Buffer.from(exampleWheel),
    'jobs.json': Buffer.from(JSON.stringify(jobs)),
  }
  await output(thread, `mkdir -p ${place}`)
  for (const [file, content] of Object.entries(brought)) {
    await installation.client.files.write(thread.id, `${place}/${file}`, new Uint8Array(content))
  }
  const wheel = 'threadbox_example-1.0-py3-none-any.whl'
  const upload = (client: string) =>
    `curl -sS -T /tmp/${wheel} -H 'Authorization: Bearer ${value}' https://${directHost}/${client}/files/${wheel}`
  await output(thread, `python ${place}/make-wheel.py && ${upload('pip')}`)
}

function namesOf(way: 'direct' | 'brokered'): string[] {
  return Object.keys(clients).filter((client) => way === 'brokered' || !brokeredOnly.includes(client))
}

async function grant(): Promise<string> {
  const { client } = installation
  const [known] = (await client.secrets.list()).secrets
  const secret = known ?? (await client.secrets.create({ name, value, owner: 'person', hosts: [host] }))
  expect(await client.secrets.grant(thread.id, secret.id)).toMatchObject({ isInEffect: true, problem: null })
  return secret.id
}

async function runClients(): Promise<Result[]> {
  await requests()
  const printed = await output(thread, `cd ${place} && time python run-clients.py`)
  console.log(printed.trim())
  const response = await installation.client.files.read(thread.id, `${place}/results.json`)
  return (await response.json()) as Result[]
}

/** Returns the requests that arrived since the last call. */
async function requests(): Promise<ArrivedRequest[]> {
  return JSON.parse(await outside.program.ask('requests')) as ArrivedRequest[]
}

async function inspectPrograms(): Promise<typeof inPrograms> {
  const { services } = installation.client
  const after = (said: string) => ({ said: said.trim(), afterMs: Math.round(performance.now() - grantedAt) })
  const inCommand = after(await output(thread, `printenv ${name}`))
  const inKernel = after(await cell(thread, `print(os.environ.get('${name}'))`))
  const file = `${place}/of-service`
  const command = `printenv ${name} > ${file}; exec python -m http.server 8123`
  await services.start(thread.id, { name: 'serving', command, port: 8123 })
  const inService = after(await output(thread, `until [ -s ${file} ]; do sleep 0.05; done; cat ${file}`))
  await services.stop(thread.id, 'serving')
  return { command: inCommand, kernel: inKernel, service: inService }
}

/** Memory of a process, now and at its highest. */
async function memoryOf(pid: number): Promise<string> {
  const [now, status] = await Promise.all(
    ['smaps_rollup', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  )
  const MiBOf = (text: string | undefined, key: string) =>
    Math.round(Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1]) / 1024)
  return `${MiBOf(now, 'Pss')} MiB (PSS), ${MiBOf(status, 'VmHWM')} MiB (highest RSS)`
}
