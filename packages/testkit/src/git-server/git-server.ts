import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** git's own server (`git http-backend`) on loopback: private repositories behind a name and a token. */
export type GitTestServer = AsyncDisposable & {
  /** Its origin. */
  url: string
  /** The certificate to trust, if the server is encrypted. */
  certificateFile: string
  username: string
  token: string
  /** Requests in the order of arrival. */
  requests: { method: string; path: string; headers: Record<string, string | string[] | undefined> }[]
  /** Responds to a request instead of git, or returns false to leave it to git. */
  answer: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Creates a repository `owner/name` with one commit of these files, or adds a commit to an existing one. */
  commit(repository: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  /** Returns what git prints about a repository. */
  git(repository: string, ...args: string[]): Promise<string>
}

export async function startGitServer(options: { isEncrypted?: boolean } = {}): Promise<GitTestServer> {
  const { isEncrypted = false } = options
  const directory = await mkdtemp(join(tmpdir(), 'git-server-'))
  const folderOf = (repository: string) => join(directory, 'repositories', `${repository}.git`)
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  }
  const git = async (folder: string, ...args: string[]) =>
    (await run('git', ['-C', folder, ...args], { env: environment, maxBuffer: 10_000_000 })).stdout
  const certificate = { key: join(directory, 'key.pem'), file: join(directory, 'certificate.pem') }
  if (isEncrypted) await makeCertificate(certificate)
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = request
    server.requests.push({ method, path, headers })
    if (server.answer(request, response)) return
    const expected = `Basic ${Buffer.from(`${server.username}:${server.token}`).toString('base64')}`
    if (headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"', 'content-type': 'text/html' })
      return void response.end('<h1>Log in</h1>')
    }
    serve({ request, response, root: join(directory, 'repositories'), environment })
  }
  const http = isEncrypted
    ? createEncryptedServer({ key: await readFile(certificate.key), cert: await readFile(certificate.file) }, onRequest)
    : createServer(onRequest)
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const server: GitTestServer = {
    url: `${isEncrypted ? 'https' : 'http'}://127.0.0.1:${(http.address() as AddressInfo).port}`,
    certificateFile: certificate.file,
    username: 'somebody',
    token: `gt-${crypto.randomUUID()}`,
    requests: [],
    answer: () => false,
    commit: (repository, files) => commit({ git, folder: folderOf(repository), files, environment }),
    git: (repository, ...args) => git(folderOf(repository), ...args),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
  return server
}

async function makeCertificate({ key, file }: { key: string; file: string }): Promise<void> {
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=git server of a test', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', file],
  ])
}

async function commit(options: {
  git: (folder: string, ...args: string[]) => Promise<string>
  folder: string
  files: Readonly<Record<string, string | Uint8Array>>
  environment: Record<string, string>
}): Promise<void> {
  const { git, folder, environment } = options
  const existingHead = await git(folder, 'rev-parse', '--verify', '-q', 'refs/heads/main').catch(() => undefined)
  if (existingHead === undefined) {
    await run('git', ['init', '-q', '--bare', '-b', 'main', folder], { env: environment })
    await git(folder, 'config', 'http.receivepack', 'true')
  }
  // Written as a stream of commands, so that large files need no working tree.
  const parts: Uint8Array[] = [
    Buffer.from('commit refs/heads/main\ncommitter Test <test@example.com> now\ndata 6\ncommit\n'),
  ]
  if (existingHead !== undefined) parts.push(Buffer.from(`from ${existingHead.trim()}\n`))
  for (const [path, content] of Object.entries(options.files)) {
    const bytes = Buffer.from(content)
    parts.push(Buffer.from(`M 100644 inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n'))
  }
  const child = spawn('git', ['-C', folder, 'fast-import', '--quiet', '--date-format=now'], { env: environment })
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
  })
  child.stdin.end(Buffer.concat(parts))
  if ((await ended) !== 0) throw new Error(`nothing could be committed to ${folder}`)
}

/** Runs git as web servers do: the request is in its environment, and its output starts with headers. */
function serve(options: {
  request: IncomingMessage
  response: ServerResponse
  root: string
  environment: Record<string, string>
}): void {
  const { request, response } = options
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const given = (name: string) => String(request.headers[name] ?? '')
  const child = spawn('git', ['http-backend'], {
    env: {
      ...options.environment,
      GIT_PROJECT_ROOT: options.root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: given('content-type'),
      CONTENT_LENGTH: given('content-length'),
      HTTP_CONTENT_ENCODING: given('content-encoding'),
      GIT_PROTOCOL: given('git-protocol'),
    },
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => request.resume())
  response.once('close', () => child.kill())
  let head = Buffer.alloc(0)
  const onHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    child.stdout.off('data', onHead)
    const lines = head.subarray(0, end).toString().split('\r\n')
    const pairs = lines.map((line): [string, string] => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    })
    const { status, ...headers } = Object.fromEntries(pairs)
    response.writeHead(Number(status?.split(' ')[0] ?? 200), headers)
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on('data', onHead)
}
