import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Agent, buildConnector, fetch } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authority } from './authority.ts'
import {
  type BrokerUnderTest,
  hostName,
  makeAuthorities,
  newGrant,
  startBroker,
  startHost,
  type TestHost,
} from './broker.test-utils.ts'

const run = promisify(execFile)
const programs = '/usr/local/bin:/usr/bin:/bin'
const grant = newGrant({ value: 'ghp_valueThatNoClientKnows00001' })
let authorities: { ofHosts: Authority; ofSandboxes: Authority }
let directory: string
let certificate: string
let host: TestHost
let broker: BrokerUnderTest
beforeAll(async () => {
  authorities = await makeAuthorities()
  directory = mkdtempSync(path.join(tmpdir(), 'secret-broker-'))
  certificate = path.join(directory, 'authority.pem')
  writeFileSync(certificate, authorities.ofSandboxes.certificate)
  host = await startHost({ authority: authorities.ofHosts, http1: (incoming, response) => answer(incoming, response) })
  broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
})
afterAll(async () => {
  await broker[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

function answer(incoming: IncomingMessage, response: ServerResponse): void {
  const [, basic = ''] = /^Basic (.*)$/.exec(incoming.headers.authorization ?? '') ?? []
  const isKnown =
    incoming.headers['x-key'] === grant.value || Buffer.from(basic, 'base64').toString() === `user:${grant.value}`
  if (!isKnown) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('unknown')
  if (incoming.url?.startsWith('/repository.git') === true) {
    gitAnswer(incoming, response)
    return
  }
  let length = 0
  incoming.on('data', (part: Buffer) => {
    length += part.length
  })
  incoming.once('end', () => response.end(`known, ${length} bytes, key ${grant.value}`))
}

/** `git http-backend`, which speaks CGI. */
function gitAnswer(incoming: IncomingMessage, response: ServerResponse): void {
  const [pathInfo = '', query = ''] = (incoming.url ?? '').split('?')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: programs,
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathInfo,
      QUERY_STRING: query,
      REQUEST_METHOD: incoming.method,
      CONTENT_TYPE: incoming.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'] ?? '',
      REMOTE_USER: 'user',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  incoming.pipe(child.stdin)
  let head = Buffer.alloc(0)
  child.stdout.on('data', (part: Buffer) => {
    if (response.headersSent) return void response.write(part)
    head = Buffer.concat([head, part])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    const fields = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '))
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200'
    const others = fields.filter(([name]) => name !== 'Status')
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(others) as Record<string, string>)
    response.write(head.subarray(end + 4))
  })
  child.stdout.once('end', () => response.end())
}

const expected = (bytes: number) => `known, ${bytes} bytes, key ${grant.placeholder}`
const proxied = () => ['--connect-to', `${hostName}:443:127.0.0.1:${broker.port}`, '--cacert', certificate]

test.each([['--http1.1'], ['--http2']])('curl %s', async (version) => {
  const more = ['-sS', version, '-H', `x-key: ${grant.placeholder}`, '--data-binary', 'hello']
  const { stdout } = await run('curl', [...proxied(), ...more, `https://${hostName}/a`])
  expect(stdout).toBe(expected(5))
  const basic = await run('curl', [...proxied(), '-sS', '-u', `user:${grant.placeholder}`, `https://${hostName}/a`])
  expect(basic.stdout).toBe(expected(0))
})

test('git clones and pushes with Basic authentication', async () => {
  const git = async (...words: string[]) =>
    await run('git', words, {
      cwd: directory,
      env: {
        PATH: programs,
        GIT_SSL_CAINFO: certificate,
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: directory,
        https_proxy: `http://127.0.0.1:${proxy.port}`,
      },
    })
  await using proxy = await startTunnel(broker.port)
  await git('init', '-q', '--bare', 'repository.git')
  await git('-C', 'repository.git', 'config', 'http.receivepack', 'true')
  const remote = `https://user:${grant.placeholder}@${hostName}/repository.git`
  await git('clone', '-q', remote, 'work')
  writeFileSync(path.join(directory, 'work', 'file'), Buffer.alloc(2 * 1024 * 1024, Math.random().toString()))
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.test']
  await git('-C', 'work', 'add', 'file')
  await git('-C', 'work', ...author, 'commit', '-q', '-m', 'one')
  await git('-C', 'work', '-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'HEAD:refs/heads/main')
  const pushed = await git('-C', 'repository.git', 'rev-parse', 'refs/heads/main')
  expect(pushed.stdout).toBe((await git('-C', 'work', 'rev-parse', 'HEAD')).stdout)
})

/** From 3.13 on, Python checks certificates as strictly as RFC 5280 wants; older ones are asked to. */
const pythons = ['python3', 'python3.13', 'python3.14']

/** Returns what the program printed; undefined if the machine doesn’t have it (75: a module). */
async function runIfThere(program: string, words: string[]): Promise<string | undefined> {
  try {
    return (await run(program, words)).stdout
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'ENOENT' || code === 127 || code === 75) return undefined
    throw error
  }
}

const urllib = `
import ssl, socket, sys, http.client
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_X509_STRICT | getattr(ssl, 'VERIFY_X509_PARTIAL_CHAIN', 0)
connection = http.client.HTTPSConnection(sys.argv[2], context=context)
connection.sock = context.wrap_socket(socket.create_connection(('127.0.0.1', int(sys.argv[3]))), server_hostname=sys.argv[2])
connection.request('POST', '/a', body=b'hello', headers={'x-key': sys.argv[4]})
print(connection.getresponse().read().decode(), end='')
`

test('urllib’s client with strict checks of the certificate', async (context) => {
  let checked = 0
  for (const python of pythons) {
    const found = await runIfThere(python, [
      '-c',
      urllib,
      certificate,
      hostName,
      String(broker.port),
      grant.placeholder,
    ])
    if (found === undefined) continue
    checked++
    expect(found).toBe(expected(5))
  }
  if (checked === 0) context.skip('no Python')
})

test('requests', async (context) => {
  const code = `
import sys
try:
    import requests
except ImportError:
    sys.exit(75)
proxies = {'https': 'http://127.0.0.1:' + sys.argv[3]}
with requests.Session() as session:
    session.trust_env = False
    for _ in range(3):
        found = session.post('https://' + sys.argv[2] + '/a', data=b'hello', headers={'x-key': sys.argv[4]}, verify=sys.argv[1], proxies=proxies)
print(found.text, end='')
`
  await using proxy = await startTunnel(broker.port)
  const words = ['-c', code, certificate, hostName, String(proxy.port), grant.placeholder]
  const found = await runIfThere('python3', words)
  if (found === undefined) return context.skip('no requests')
  expect(found).toBe(expected(5))
})

test('fetch of undici, over HTTP/1.1 and HTTP/2', async () => {
  for (const allowH2 of [false, true]) {
    const open = buildConnector({ ca: authorities.ofSandboxes.certificate, allowH2 })
    const dispatcher = new Agent({
      allowH2,
      connect: (options, done) =>
        open({ ...options, hostname: '127.0.0.1', port: String(broker.port), servername: hostName }, done),
    })
    const found = await fetch(`https://${hostName}/a`, {
      dispatcher,
      method: 'POST',
      body: 'hello',
      headers: { 'x-key': grant.placeholder },
    })
    expect(await found.text()).toBe(expected(5))
    await dispatcher.close()
  }
})

/** A proxy that leads every CONNECT to the broker, as a sandbox’s name would. */
async function startTunnel(port: number): Promise<AsyncDisposable & { port: number }> {
  const server: Server = createServer((client: Socket) => {
    client.once('data', () => {
      const there = connect(port, '127.0.0.1')
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(there).pipe(client)
      client.on('error', () => there.destroy())
      there.on('error', () => client.destroy())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
