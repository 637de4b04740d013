import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const startTimeoutMs = 60_000
/** Where `./threadbox test` unpacks Debian’s packages of them. */
const programs = process.env.THREADBOX_PROXIES ?? '/var/cache/threadbox/proxies'
const page = path.join(import.meta.dirname, '../../docs/own-domain.md')

/** The values in the page’s lines, and their values in the test. */
type Places = { domain: string; port: number; target: number; directory: string }

export type ProxyName = 'nginx' | 'caddy'

/**
 * A real proxy that terminates TLS, set up with the lines of docs/own-domain.md: only hostnames, ports and certificate
 * files are replaced. `serverLines` are added to nginx’s server.
 */
export async function startProxy(
  name: ProxyName,
  target: Omit<Places, 'directory'> & { isForAppOnly?: boolean; serverLines?: string },
): Promise<AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-proxy-'))
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const places = { ...target, directory }
  await makeCertificate(places)
  const file = path.join(directory, 'proxy.conf')
  const all = inPlace(blockOf(await readFile(page, 'utf8'), name), places)
  const lines = target.isForAppOnly === true ? all.replace(/,? \*\.[\w.:]+(?= \{|;)/, '') : all
  const added = lines.replace(/^ {2}server_name /m, (line) => `${target.serverLines ?? ''}\n${line}`)
  await writeFile(file, name === 'nginx' ? nginxFile(added, directory) : caddyFile(lines))
  const args = name === 'nginx' ? ['-c', file] : ['run', '--adapter', 'caddyfile', '--config', file]
  const child = spawn(path.join(programs, name === 'nginx' ? 'usr/sbin/nginx' : 'usr/bin/caddy'), args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-4000)
  })
  child.on('error', (error) => {
    said += error.message
  })
  cleanup.defer(() => end(child))
  await untilListening(target.port, () => (child.exitCode === null && child.pid !== undefined ? undefined : said))
  const kept = cleanup.move()
  return { [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

function blockOf(text: string, name: ProxyName): string {
  const block = new RegExp(`\`\`\`${name === 'nginx' ? 'nginx' : 'caddyfile'}\\n([^]*?)\`\`\``).exec(text)?.[1]
  if (block === undefined) throw new Error(`docs/own-domain.md has no lines for ${name}`)
  return block
}

function inPlace(lines: string, { domain, port, target, directory }: Places): string {
  return lines
    .replaceAll('/etc/letsencrypt/live/box.example.com', directory)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/^app\.box\.example\.com, \*\.box\.example\.com \{/m, (names) => names.replace(/\.com\b/g, `.com:${port}`))
    .replaceAll('box.example.com', domain)
    .replaceAll('127.0.0.1:7717', `127.0.0.1:${target}`)
}

function nginxFile(lines: string, directory: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = folders.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n')
  return `daemon off;\nmaster_process off;\npid ${directory}/pid;\nerror_log stderr;\nevents {}
http {\naccess_log off;\n${temporary}\n${lines}\n}\n`
}

function caddyFile(lines: string): string {
  return `{\n  admin off\n  auto_https disable_redirects\n}\n${lines}`
}

async function makeCertificate({ domain, directory }: Places): Promise<void> {
  const [key, certificate] = [path.join(directory, 'privkey.pem'), path.join(directory, 'fullchain.pem')]
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain},DNS:*.${domain}`],
    ...['-keyout', key, '-out', certificate],
  ])
}

async function untilListening(port: number, failure: () => string | undefined): Promise<void> {
  const until = Date.now() + startTimeoutMs
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' })
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    const said = failure()
    if (said !== undefined || Date.now() > until) throw new Error(`the proxy does not listen: ${said ?? 'too late'}`)
    await delay(50)
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
