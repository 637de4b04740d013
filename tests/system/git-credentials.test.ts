import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { gitPort } from '@threadbox/protocol/guest'
import type { GitCredential } from '@threadbox/sdk'
import { type GitTestServer, startGitServer } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { viewTerminal } from '../stack/terminal-view.ts'

let installation: TestInstallation
let server: GitTestServer
let thread: TestThread
let credential: GitCredential
beforeAll(async () => {
  server = await startGitServer({ isEncrypted: true })
  await server.commit('team/app', { 'readme.md': 'private words\n' })
  await server.commit('team/other', { 'readme.md': 'other words\n' })
  installation = await startInstallation({
    serverEnvironment: {
      THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8',
      THREADBOX_CONNECTION_SECONDS: '20',
      NODE_EXTRA_CA_CERTS: server.certificateFile,
    },
  })
  credential = await add({ access: 'push' })
  thread = await installation.newThread()
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})
beforeEach(async () => {
  server.answer = () => false
  await credentials().allow(thread.id, [credential.id])
  await credentials().update(credential.id, { token: server.token, access: 'push', repositories: [] })
})

const credentials = () => installation.client.gitCredentials
const add = (more: { access: 'read' | 'push'; token?: string }) =>
  credentials().create({ address: server.url, username: server.username, token: server.token, ...more })
const allow = (to: TestThread) => credentials().allow(to.id, [credential.id])
const run = (command: string, inThread = thread) => output(inThread, `export GIT_TERMINAL_PROMPT=0; (${command}) 2>&1`)
const identity = '-c user.name=Somebody -c user.email=somebody@example.com'

/**
 * Searches everything that root can read in the sandbox for the token: files, and environments and memory of all
 * processes. The token is passed in two halves, so that the search does not find itself.
 */
const search = (secret: string) => {
  const half = Math.floor(secret.length / 2)
  return `sudo python3 -c "
import os, re
secret = ('${secret.slice(0, half)}' + '~' + '${secret.slice(half)}').replace('~', '').encode()
own = str(os.getpid())
def look(path, name):
    try:
        with open(path, 'rb') as file:
            rest = b''
            while part := file.read(1 << 20):
                if secret in rest + part: return print('found in', name)
                rest = part[-len(secret):]
    except OSError: pass
def memory(pid):
    try: maps = open(f'/proc/{pid}/maps').read().splitlines()
    except OSError: return
    try: handle = open(f'/proc/{pid}/mem', 'rb', 0)
    except OSError: return print('cannot read memory of', pid)
    for line in maps:
        start, end = (int(x, 16) for x in line.split()[0].split('-'))
        if 'r' not in line.split()[1] or end - start > 1 << 28: continue
        try:
            handle.seek(start)
            if secret in handle.read(end - start): return print('found in memory of', open(f'/proc/{pid}/comm').read().strip())
        except (OSError, ValueError, OverflowError): continue
for pid in filter(str.isdigit, os.listdir('/proc')):
    if pid == own: continue
    look(f'/proc/{pid}/environ', f'environment of {pid}')
    look(f'/proc/{pid}/cmdline', f'command line of {pid}')
    memory(pid)
for top in ('home', 'tmp', 'root', 'etc', 'var', 'run', 'dev'):
    for directory, _, names in os.walk('/' + top):
        for name in names:
            path = os.path.join(directory, name)
            if os.path.isfile(path) and not os.path.islink(path): look(path, path)
print('searched')
"`
}

test('without a credential that the thread can use, git reaches nothing and prompts for none', async () => {
  const other = await installation.newThread()
  const before = server.requests.length
  expect(await run(`git clone ${server.url}/team/app /tmp/none || echo refused`, other)).toContain('refused')
  expect(server.requests).toHaveLength(before)
})

test('a private repository is cloned, committed to and pushed from a command and from Python', async () => {
  const before = server.requests.length
  expect(await run(`cd ~ && git clone ${server.url}/team/app && cat app/readme.md`)).toContain('private words')
  expect(await run('git -C ~/app config remote.origin.url')).toContain(`${server.url}/team/app`)
  await run(`cd ~/app && echo more > new.txt && git add . && git ${identity} commit -qm second && git push`)
  expect(await server.git('team/app', 'show', 'main:new.txt')).toBe('more\n')
  const python =
    "import subprocess\nprint(subprocess.run(['git', '-C', '/home/user/app', 'pull'], capture_output=True, text=True))"
  await server.commit('team/app', { 'third.txt': 'third' })
  expect(await cell(thread, python)).toContain('returncode=0')
  expect(await run('cat ~/app/third.txt')).toContain('third')
  for (const { headers } of server.requests.slice(before)) expect(headers.authorization).toMatch(/^Basic /)
})

test('the token is nowhere in the sandbox while git runs, nor in logs, errors and the audit log', async () => {
  const canary = `canary-${crypto.randomUUID()}`
  await run(`echo ${canary} > ~/planted; nohup env PLANTED=${canary} sleep 600 > /dev/null 2>&1 & sleep 0.1`)
  const found = await output(thread, search(canary))
  for (const place of ['/home/user/planted', 'environment of', 'memory of sleep']) expect(found).toContain(place)
  // A clone that stalls in the middle.
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const open: { end(): void }[] = []
  server.answer = (request, response) => {
    if (!request.url?.endsWith('/git-upload-pack')) return false
    open.push(response)
    resolve()
    return true
  }
  await run(
    `(GIT_TRACE_CURL=/tmp/trace nohup git clone ${server.url}/team/app /tmp/slow > /tmp/slow.log 2>&1) & sleep 0.1`,
  )
  await asked
  const login = Buffer.from(`${server.username}:${server.token}`).toString('base64')
  for (const secret of [server.token, login]) {
    const lines = await output(thread, search(secret))
    expect(lines).toContain('searched')
    expect(lines).not.toContain('found')
    expect(lines).not.toContain('cannot read')
  }
  for (const response of open) response.end()
  const { events } = await installation.client.installation.audit({ limit: 100 })
  expect(events.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['git-credential-read', 'git-credential-pushed', 'git-credentials-allowed']),
  )
  const seen = [JSON.stringify(events), await installation.server.log(), JSON.stringify(await credentials().list())]
  for (const text of seen) for (const secret of [server.token, login]) expect(text).not.toContain(secret)
})

test('a push with a read-only credential is refused, and git says why', async () => {
  await credentials().update(credential.id, { access: 'read' })
  const before = await server.git('team/app', 'rev-parse', 'main')
  const said = await run(
    `rm -rf /tmp/ro && git clone -q ${server.url}/team/app /tmp/ro && cd /tmp/ro && git ${identity} commit -q --allow-empty -m no && git push || echo refused`,
  )
  expect(said).toContain('is read-only, so nothing was pushed')
  expect(said).toContain('git-credential.push-refused')
  expect(said).toContain('refused')
  expect(await server.git('team/app', 'rev-parse', 'main')).toBe(before)
})

test('a token that the server rejects, and one without access to the repository, are distinguished, and git does not prompt', async () => {
  const missing = await run(`git clone ${server.url}/team/none /tmp/missing || echo refused`)
  expect(missing).toContain('team/none doesn’t exist on')
  await credentials().update(credential.id, { token: 'a-wrong-token' })
  const wrong = await run(`git clone ${server.url}/team/app /tmp/wrong || echo refused`)
  expect(wrong).toContain('rejected the Git credential’s token (HTTP status 401)')
  expect(wrong).toContain('git-credential.token-refused')
  expect(wrong).not.toContain('a-wrong-token')
})

test('a granted or revoked credential takes effect immediately in a terminal that was already open', async () => {
  const other = await installation.newThread()
  const terminal = await installation.client.terminals.open(other.id, { cols: 200, rows: 30 })
  using shown = await viewTerminal(installation, { threadId: other.id, id: terminal.id })
  const ask = (end: string) =>
    shown.type(`GIT_TERMINAL_PROMPT=0 git ls-remote ${server.url}/team/app; echo ${end} $?\r`)
  ask('before')
  await shown.shows(/before 128/)
  expect(shown.text()).not.toContain('refs/heads/main')
  await allow(other)
  await run('true', other)
  ask('allowed')
  await shown.shows(/refs\/heads\/main[\s\S]*allowed 0/)
  await credentials().allow(other.id, [])
  const before = server.requests.length
  ask('after')
  await shown.shows(/after 128/)
  expect(server.requests).toHaveLength(before)
})

test('a push in progress when its credential is revoked ends on both sides, and changes nothing', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const { promise: broken, resolve: breakOff } = Promise.withResolvers<void>()
  server.answer = (request) => {
    if (request.method !== 'POST') return false
    request.once('data', () => resolve())
    request.once('error', () => breakOff())
    return true
  }
  const site = new URL(server.url).host
  // A pack whose end never arrives.
  const sent = `curl -sS -T - -X POST -H 'content-type: application/x-git-receive-pack-request' http://127.0.0.1:${gitPort}/${site}/team/app/git-receive-pack`
  await run(
    `rm -f /tmp/push.end; ((echo 0000; sleep 600) | ${sent} > /tmp/push.said 2>&1; echo ended > /tmp/push.end) > /dev/null 2>&1 & sleep 0.1`,
  )
  await begun
  await credentials().update(credential.id, { access: 'read' })
  await broken
  await run('pkill -x sleep; true')
  await expect.poll(() => run('cat /tmp/push.end || true'), { timeout: 60_000 }).toContain('ended')
})

test('a credential for one repository is used for no other', async () => {
  await credentials().update(credential.id, { repositories: ['team/app'] })
  const before = server.requests.length
  expect(await run(`git ls-remote ${server.url}/team/other || echo refused`)).toContain('refused')
  expect(server.requests).toHaveLength(before)
  expect(await run(`git ls-remote ${server.url}/team/app`)).toContain('refs/heads/main')
})

test('programs in the sandbox can request nothing else from the server', async () => {
  const site = new URL(server.url).host
  const before = server.requests.length
  for (const path of ['team/app/HEAD', 'api/v1/user', 'team/../team/app/info/refs?service=git-upload-pack']) {
    const said = await run(`curl -s --path-as-is -w '%{http_code}' 'http://127.0.0.1:${gitPort}/${site}/${path}'`)
    expect(said).toContain('git-credential.request-refused')
    expect(said).toContain('400')
  }
  expect(server.requests).toHaveLength(before)
})

const cloned = repeats({ what: 'MB that git clones through the server', byDefault: 100, full: 150 })
test(`a clone of ${cloned} MB and a push of 20 MB are streamed in pieces: the server buffers neither`, async () => {
  await server.commit('team/large', { 'large.bin': randomBytes(cloned * 1_000_000) })
  await run('sync')
  // Earlier work can have reached a higher peak since the process started.
  await writeFile(`/proc/${installation.server.pid()}/clear_refs`, '5')
  const peak = async () => {
    const status = await readFile(`/proc/${installation.server.pid()}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])
  }
  const before = await peak()
  await run(`git clone -q ${server.url}/team/large /tmp/large && stat -c %s /tmp/large/large.bin`).then((said) =>
    expect(said).toContain(`${cloned}000000`),
  )
  const change = 'cd /tmp/large && head -c 20000000 /dev/urandom > more.bin && git add . && '
  await run(`${change} git ${identity} commit -qm more && git push -q && git rev-parse HEAD`)
  expect(await server.git('team/large', 'ls-tree', '--name-only', 'main')).toContain('more.bin')
  // Buffered whole, it would be all of it and more. Pieces that wait to be collected reach 70 MB on a busy machine.
  expect((await peak()) - before).toBeLessThan(cloned * 950)
})

test('a server that is killed during a git request makes git fail, and the next attempt works without intervention', async () => {
  const other = await installation.newThread()
  await allow(other)
  await run('true', other)
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  server.answer = (request) => {
    if (!request.url?.endsWith('/git-upload-pack')) return false
    resolve()
    return true
  }
  await run(
    `(nohup git clone ${server.url}/team/app /tmp/cut > /tmp/cut.log 2>&1; echo exit $? >> /tmp/cut.log) & sleep 0.1`,
    other,
  )
  await asked
  await installation.server.kill('SIGKILL')
  await installation.server.restart()
  server.answer = () => false
  await expect.poll(() => run('cat /tmp/cut.log', other), { timeout: 60_000 }).toContain('exit 128')
  expect(await run(`git clone -q ${server.url}/team/app /tmp/again && cat /tmp/again/readme.md`, other)).toContain(
    'private',
  )
})

test('a sandbox still reaches the server after sleeping and waking, and after a restart', async () => {
  await installation.client.sandboxes.pause(thread.id)
  expect(await run(`git ls-remote ${server.url}/team/app`)).toContain('refs/heads/main')
  await installation.client.sandboxes.restart(thread.id)
  expect(await run(`git ls-remote ${server.url}/team/app`)).toContain('refs/heads/main')
})
