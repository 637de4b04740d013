import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import type { ProgramInNamespace } from '../stack/program-in-namespace.ts'
import { startHostsOutside } from './isolation/hosts-outside.ts'

const run = promisify(execFile)
const host = 'api.site.test'
/** Another name at the same address, as on a shared server. */
const otherHost = 'other.site.test'
const value = 'sk-live-4dV9qTz2XwB7nLk0'
const name = 'API_TOKEN'

/** Prints the requests that arrive, and sends back what came in `authorization`. */
const service = `
  const { readFileSync } = require('node:fs')
  const [directory, address] = process.argv.slice(1)
  const tls = { key: readFileSync(directory + '/host.key'), cert: readFileSync(directory + '/host.pem') }
  require('node:https').createServer(tls, (request, response) => {
    const { authorization = '' } = request.headers
    console.log(JSON.stringify({ host: request.headers.host, path: request.url, authorization }))
    response.end('you sent ' + authorization)
  }).listen(443, address, () => console.log('ready'))
`

const stack = new AsyncDisposableStack()
let installation: TestInstallation
const arrived: { host: string; path: string; authorization: string }[] = []

beforeAll(async () => {
  const outside = stack.use(
    await startHostsOutside({
      subnet: 85,
      names: [host, otherHost],
      argumentsIn: ({ directory, address }) => ['-e', service, '--', directory, address],
    }),
  )
  void record(outside.program).catch(() => undefined)
  installation = stack.use(await startInstallation({ hostEnvironment: outside.hostEnvironment }))
})
afterAll(() => stack.disposeAsync())

test('G9: a thread uses a secret at its host, and what is in the sandbox is never the value', async () => {
  const { thread, secretId } = await threadWithSecret()
  const asked = await shell(thread, curl(host, '/first'))
  expect(arrived.at(-1)).toEqual({ host, path: '/first', authorization: `Bearer ${value}` })
  expect(asked).toMatch(/^you sent Bearer tbx/)
  expect(await shell(thread, `printenv ${name}; env; cat /proc/*/environ 2> /dev/null | tr '\\0' '\\n'`)).not.toContain(
    value,
  )
  // Another name at the same address gets the placeholder, which means nothing there.
  await shell(thread, curl(otherHost, '/other'))
  expect(arrived.at(-1)).toMatchObject({ host: otherHost, authorization: expect.stringMatching(/^Bearer tbx/) })
  // Forged: the address of the secret’s host, and the name of another.
  const count = arrived.length
  const forged = await shell(
    thread,
    `curl -sS -o /dev/null -w '%{http_code}' -H 'Host: ${otherHost}' https://${host}/ -H "Authorization: Bearer $${name}"`,
  )
  expect([forged, arrived.length]).toEqual(['421', count])
  await installation.client.secrets.revoke(thread.id, secretId)
  await shell(
    thread,
    `TOKEN=${(/tbx\w+/.exec(asked) ?? [''])[0]}; curl -sS https://${host}/revoked -H "Authorization: Bearer $TOKEN"`,
  )
  expect(arrived.at(-1)?.authorization).not.toContain(value)
})

test('G9: a placeholder from another thread is worth nothing', async () => {
  const { thread: first } = await threadWithSecret()
  const { thread: second } = await threadWithSecret()
  const [placeholder] = /tbx\w+/.exec(await shell(first, `printenv ${name}`)) ?? ['']
  await shell(second, `curl -sS https://${host}/stolen -H "Authorization: Bearer ${placeholder}"`)
  expect(arrived.at(-1)).toMatchObject({ path: '/stolen', authorization: `Bearer ${placeholder}` })
})

test('G9: secrets are usable again after the egress process was killed, and after the server was', async () => {
  const { thread } = await threadWithSecret()
  process.kill(await installation.host.egressPid(), 'SIGKILL')
  await expect
    .poll(() => shell(thread, curl(host, '/egress-killed')), { timeout: 20_000 })
    .toMatch(/^you sent Bearer tbx/)
  expect(arrived.at(-1)).toMatchObject({ path: '/egress-killed', authorization: `Bearer ${value}` })
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  await expect
    .poll(() => shell(thread, curl(host, '/server-killed')), { timeout: 20_000 })
    .toMatch(/^you sent Bearer tbx/)
  expect(arrived.at(-1)).toMatchObject({ path: '/server-killed', authorization: `Bearer ${value}` })
})

test('G9: the value is in no log, and no file of the host daemon or of the sandbox', async () => {
  const { host: daemon } = installation
  expect(await daemon.log()).not.toContain(value)
  const found = await run('grep', ['-rlF', '--', value, daemon.dataDirectory]).catch(
    (error: { stdout: string }) => error,
  )
  expect(found.stdout).toBe('')
  const authority = await readFile(path.join(daemon.dataDirectory, 'egress/authority.key'), 'utf8')
  expect(authority).toContain('PRIVATE KEY')
})

async function threadWithSecret(): Promise<{ thread: TestThread; secretId: string }> {
  const { client } = installation
  const [known] = (await client.secrets.list()).secrets
  const secret = known ?? (await client.secrets.create({ name, value, owner: 'person', hosts: [host] }))
  const thread = await installation.newThread()
  await shell(thread, 'true')
  expect(await client.secrets.grant(thread.id, secret.id)).toMatchObject({ isInEffect: true, problem: null })
  return { thread, secretId: secret.id }
}

function curl(target: string, place: string): string {
  return `curl -sS https://${target}${place} -H "Authorization: Bearer $${name}"`
}

async function shell(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  return calls.map(({ output }) => output.tail).join('')
}

/** Records what arrives until the service ends. */
async function record(server: ProgramInNamespace): Promise<void> {
  for (;;) arrived.push(JSON.parse(await server.next()))
}
