import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { SetNetworkPolicy } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { startProgramIn } from '../stack/program-in-namespace.ts'
import { makeTestCertificates } from '../stack/test-certificates.ts'
import { startRebindingNameServer } from './isolation/rebinding-name-server.ts'
import { addNeighbor } from './isolation/test-machine.ts'

const address = '198.51.100.87'
const host = 'api.site.test'
const otherHost = 'other.site.test'
const value = 'sk-live-8Qm2VxT5rYw0PzKc'
const name = 'API_TOKEN'

/** A machine on the internet, and the proxy through which the company reaches it, which alone can resolve its names. */
const network = `
  const { readFileSync } = require('node:fs')
  const { connect } = require('node:net')
  const [directory, address, proxyAddress] = process.argv.slice(1)
  const tls = { key: readFileSync(directory + '/host.key'), cert: readFileSync(directory + '/host.pem') }
  const print = (seen) => console.log(JSON.stringify(seen))
  const site = require('node:https').createServer(tls, (request, response) => {
    const { authorization = '' } = request.headers
    print({ at: 'site', target: request.url, from: authorization })
    response.end('you sent ' + authorization)
  })
  const proxy = require('node:http').createServer()
  proxy.on('connect', (request, socket) => {
    print({ at: 'proxy', target: request.url, from: request.headers['user-agent'] ?? 'no user agent' })
    const upstream = connect(443, address, () => {
      socket.write('HTTP/1.1 200 OK\\r\\n\\r\\n')
      socket.pipe(upstream).pipe(socket)
    })
    for (const [one, other] of [[socket, upstream], [upstream, socket]]) one.on('error', () => other.destroy())
  })
  site.listen(443, address, () => proxy.listen(3128, proxyAddress, () => console.log('ready')))
`

const stack = new AsyncDisposableStack()
let installation: TestInstallation
const seen: { at: 'site' | 'proxy'; target: string; from: string }[] = []

beforeAll(async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'company-proxy-'))
  stack.defer(() => rm(directory, { recursive: true }))
  await makeTestCertificates(directory, [host, otherHost])
  const lan = await addNeighbor({ subnet: 87, addresses: [address], address6: 'fd77:87::2' })
  stack.defer(() => lan.remove())
  const program = startProgramIn(lan.namespace, ['-e', network, '--', directory, address, lan.first])
  stack.defer(program.stop)
  expect(await program.next()).toBe('ready')
  const record = async () => {
    for (;;) seen.push(JSON.parse(await program.next()))
  }
  void record().catch(() => undefined)
  const names = await startRebindingNameServer({})
  stack.defer(() => names.close())
  installation = stack.use(
    await startInstallation({
      hostEnvironment: {
        THREADBOX_NAME_SERVERS: `127.0.0.1:${names.port}`,
        THREADBOX_EXTRA_CERTIFICATES: path.join(directory, 'authority.pem'),
        THREADBOX_SANDBOX_PROXY: `http://${lan.first}:3128`,
      },
    }),
  )
})
afterAll(() => stack.disposeAsync())

const list: SetNetworkPolicy['policy'] = { kind: 'allowlist', names: [host], presets: [] }
/** Prints the names of variables that send programs to a proxy. */
const proxyVariables = 'env | grep -i _proxy= | cut -d = -f 1 | sort | tr "\\n" " "'
const all = 'HTTPS_PROXY HTTP_PROXY NO_PROXY http_proxy https_proxy no_proxy '

test('G2: with a list, programs reach its names through the relay, which alone asks the company’s proxy', async () => {
  const thread = await threadWith(list)
  expect(await shell(thread, proxyVariables)).toBe('')
  const before = seen.length
  expect(await shell(thread, `curl -sS --max-time 20 https://${host}/listed`)).toBe('you sent ')
  expect(seen.slice(before)).toEqual([
    { at: 'proxy', target: `${host}:443`, from: 'no user agent' },
    { at: 'site', target: '/listed', from: '' },
  ])
  expect(await shell(thread, `curl -sS --max-time 20 https://${otherHost}/ 2>&1`)).toContain('Could not resolve host')
  expect(seen.length).toBe(before + 2)
})

test('G2: a changed policy gives and takes the company’s proxy, for every program that starts after the change', async () => {
  const thread = await threadWith(null)
  expect(await shell(thread, proxyVariables)).toBe(all)
  const before = seen.length
  expect(await shell(thread, `curl -sS --max-time 20 https://${otherHost}/open`)).toBe('you sent ')
  expect(seen[before]).toMatchObject({ at: 'proxy', target: `${otherHost}:443`, from: expect.stringMatching(/^curl/) })
  for (const policy of [list, { kind: 'none' }] as const) {
    await setPolicy(thread, policy)
    expect(await shell(thread, proxyVariables)).toBe('')
    expect(await cell(thread, 'import os; print([k for k in os.environ if k.lower().endswith("_proxy")])')).toBe('[]\n')
  }
  await setPolicy(thread, list)
  expect(await shell(thread, `curl -sS --max-time 20 https://${host}/listed-later`)).toBe('you sent ')
  await setPolicy(thread, null)
  expect(await shell(thread, proxyVariables)).toBe(all)
})

test('G9: with the company’s proxy, a secret’s host gets the value from the broker, and other names are asked at the proxy', async () => {
  const { client } = installation
  const thread = await threadWith(null)
  expect(await shell(thread, 'printenv NO_PROXY')).not.toContain(host)
  const secret = await client.secrets.create({ name, value, owner: 'person', hosts: [host] })
  expect(await client.secrets.grant(thread.id, secret.id)).toMatchObject({ isInEffect: true, problem: null })
  const before = seen.length
  const request = (target: string) => `curl -sS --max-time 20 https://${target}/ -H "Authorization: Bearer $${name}"`
  expect(await shell(thread, request(host))).toMatch(/^you sent Bearer tbx/)
  expect(await shell(thread, request(otherHost))).toMatch(/^you sent Bearer tbx/)
  expect(seen.slice(before)).toEqual([
    { at: 'proxy', target: `${host}:443`, from: 'no user agent' },
    { at: 'site', target: '/', from: `Bearer ${value}` },
    { at: 'proxy', target: `${otherHost}:443`, from: expect.stringMatching(/^curl/) },
    { at: 'site', target: '/', from: expect.stringMatching(/^Bearer tbx/) },
  ])
  await client.secrets.revoke(thread.id, secret.id)
  expect(await shell(thread, 'printenv NO_PROXY')).not.toContain(host)
})

async function threadWith(policy: SetNetworkPolicy['policy']): Promise<TestThread> {
  const thread = await installation.newThread()
  if (policy !== null) await setPolicy(thread, policy)
  return thread
}

async function setPolicy(thread: TestThread, policy: SetNetworkPolicy['policy']): Promise<void> {
  await installation.client.network.setForThread(thread.id, { policy })
}

const shell = (thread: TestThread, command: string) => said(thread, `/run ${command}`)
const cell = (thread: TestThread, code: string) => said(thread, `/python ${code}`)

async function said(thread: TestThread, text: string): Promise<string> {
  const { calls } = await thread.say(text)
  return calls.map(({ output }) => output.tail).join('')
}
