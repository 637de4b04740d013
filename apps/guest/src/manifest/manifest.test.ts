import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Manifest, manifestSchema } from '@threadbox/protocol/guest'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'
import { parseSocketTable, parseUnixTable } from './sockets.ts'

const headers = { 'x-access-token': testToken }
const hashKey = '0123456789abcdef'.repeat(4)

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

async function manifest(key = hashKey): Promise<Manifest> {
  const answer = await fetch(`${guest.url}/manifest?hashKey=${key}`, { headers })
  expect(answer.status).toBe(200)
  return manifestSchema.parse(await answer.json())
}

test('a manifest requires the token and a key that makes hashes unreadable', async () => {
  expect((await fetch(`${guest.url}/manifest?hashKey=${hashKey}`)).status).toBe(401)
  for (const query of ['', '?hashKey=', '?hashKey=xyz', '?hashKey=abcd']) {
    expect((await fetch(`${guest.url}/manifest${query}`, { headers })).status).toBe(400)
  }
})

/** Listens, connects to itself, holds a deleted file, a log and a pair of sockets open, then reports where. */
const busyProgram = `
const net = require('node:net'), fs = require('node:fs')
const [file, path] = process.argv.slice(2)
const held = fs.openSync(file, 'w+'); fs.writeSync(held, 'x'.repeat(12345)); fs.unlinkSync(file)
fs.openSync(file + '.log', 'a'); fs.openSync(file + '.log', 'r'); fs.openSync(__filename, 'r')
net.createServer(() => {}).listen(path, () => net.connect(path, () => {
  const server = net.createServer(() => {}).listen(0, '127.0.0.1', () => {
    const client = net.connect(server.address().port, '127.0.0.1', () => {
      process.stdout.write(server.address().port + '\\n')
    })
  })
}))
`

test('§2.1: a manifest shows a process with its port, connections and deleted open file, and where it runs', async () => {
  writeFileSync(join(guest.directory, 'busy.cjs'), busyProgram)
  const at = (name: string) => join(guest.directory, name)
  await guest.start(`exec ${process.execPath} ${at('busy.cjs')} ${at('gone')} ${at('sock')}`, 'busy')
  const port = Number(await firstLine('busy'))
  const seen = await manifest()
  const busy = seen.processes.find((entry) => entry.commandLine.includes(at('busy.cjs')))
  expect(busy).toMatchObject({ cwd: guest.directory, role: 'user', user: expect.any(String) })
  const pid = busy?.pid
  expect(seen.ports).toContainEqual({ protocol: 'tcp', address: '127.0.0.1', port, pid })
  const local = `127.0.0.1:${port}`
  expect(seen.connections).toContainEqual(expect.objectContaining({ kind: 'tcp', scope: 'inside', local, pid }))
  expect(seen.connections).toContainEqual(expect.objectContaining({ kind: 'tcp', scope: 'inside', remote: local, pid }))
  expect(seen.connections).toContainEqual(expect.objectContaining({ kind: 'unix', local: at('sock'), pid }))
  expect(seen.deletedOpenFiles).toContainEqual({ pid, path: at('gone'), bytes: 12345 })
  expect(seen.writtenFiles.filter((file) => file.pid === pid)).toEqual([{ pid, path: at('gone.log') }])
  await guest.runs.stop({ key: 'busy' })
  expect((await manifest()).processes.some((entry) => entry.pid === pid)).toBe(false)
})

/** Opens as many files for writing as its argument says, then reports it. */
const writingProgram = `
const fs = require('node:fs')
const [directory, count] = process.argv.slice(2)
for (let file = 0; file < Number(count); file++) fs.openSync(directory + '/' + file, 'a')
process.stdout.write('ready\\n')
setInterval(() => {}, 1e6)
`

test('§2.1: a process that writes more files than a manifest names does not hide another’s single file', async () => {
  const program = join(guest.directory, 'writing.cjs')
  writeFileSync(program, writingProgram)
  for (const [key, count] of [
    ['many', 1001],
    ['one', 1],
  ] as const) {
    mkdirSync(join(guest.directory, key))
    await guest.start(`exec ${process.execPath} ${program} ${join(guest.directory, key)} ${count}`, key)
    await firstLine(key)
  }
  expect((await manifest()).writtenFiles.map(({ path }) => path)).toContain(join(guest.directory, 'one', '0'))
  for (const key of ['many', 'one']) await guest.runs.stop({ key })
})

test('§2.1: a background loop of a command is a process of the user, and the shell of the session is not', async () => {
  // Unique to this test run: the manifest of a guest under test has every process of the machine.
  const seconds = `4986.${process.pid}`
  await guest.run(`(while true; do sleep ${seconds}; done) &`)
  const sleeper = ({ processes }: Manifest) => processes.find(({ commandLine }) => commandLine.includes(seconds))
  const loopOf = (found: Manifest) => found.processes.find(({ pid }) => pid === sleeper(found)?.parentPid)
  let found = await manifest()
  await expect
    .poll(async () => {
      found = await manifest()
      return loopOf(found)
    })
    .toMatchObject({ role: 'user', commandLine: ['bash'] })
  const { processes } = found
  expect(processes.flatMap(({ commandLine }) => commandLine).filter((word) => word.includes('__threadbox'))).toEqual([])
  for (const entry of [loopOf(found), sleeper(found)]) if (entry !== undefined) process.kill(entry.pid)
})

test('§2.1: a connection from threadbox to a program, and variables that it sets, are in no manifest', async () => {
  writeFileSync(join(guest.directory, 'busy.cjs'), busyProgram)
  const at = (name: string) => join(guest.directory, name)
  await guest.start(`exec ${process.execPath} ${at('busy.cjs')} ${at('gone')} ${at('sock2')}`, 'served')
  const port = Number(await firstLine('served'))
  // This process is the guest: its connections are threadbox's own.
  const own = connect(port, '127.0.0.1')
  await once(own, 'connect')
  const remote = `127.0.0.1:${own.localPort}`
  await guest.run('export SHOWN=yes THREADBOX_OWN=no')
  const { connections, shell, unread } = await manifest()
  own.destroy()
  expect(unread.filter(({ part }) => part === 'ports' || part === 'connections')).toEqual([])
  expect(connections.some(({ local }) => local.endsWith(`:${port}`))).toBe(true)
  expect(connections.filter((one) => one.remote === remote || one.local === remote)).toEqual([])
  expect(Object.keys(shell.environment).filter((name) => /^(SHOWN|THREADBOX_|GIT_CONFIG_)/.test(name))).toEqual([
    'SHOWN',
  ])
  await guest.runs.stop({ key: 'served' })
})

test('a quick manifest is the same except for packages, and says that they are missing', async () => {
  await guest.run('export SHOWN=yes; greet() { echo hi; }')
  await guest.start('exec sleep 4987', 'sleeper')
  const sleeper = ({ processes }: Manifest) => processes.find(({ commandLine }) => commandLine.includes('4987'))
  // It has become another program, and its memory is not loaded yet.
  await expect.poll(async () => sleeper(await manifest())).toBeDefined()
  const answer = await fetch(`${guest.url}/manifest?hashKey=${hashKey}&glance=1`, { headers })
  const quick = manifestSchema.parse(await answer.json())
  const whole = await manifest()
  const { startedAt: _, memoryBytes: __, ...seen } = sleeper(whole) ?? {}
  expect(sleeper(quick)).toMatchObject({ ...seen, name: 'sleep', role: 'user' })
  expect(quick.shell).toEqual(whole.shell)
  expect(quick.packages).toEqual({ python: {}, apt: {}, npm: {} })
  expect(quick.unread).toContainEqual({ part: 'packages', reason: 'glance', detail: '' })
  await guest.runs.stop({ key: 'sleeper' })
})

async function firstLine(key: string): Promise<string> {
  let text = ''
  for await (const { event } of guest.runs.read({ key })) {
    if (event.case === 'output') text += Buffer.from(event.value.data).toString()
    if (event.case === 'ended') throw new Error(`it ended: ${text}`)
    if (text.includes('\n')) break
  }
  return text
}

test('§2.1: values of the session’s environment can be distinguished and cannot be read', async () => {
  await guest.run(
    "export SECRET=hunter2-hunter2 OTHER=$'two\\nlines'; plain=hunter2-hunter2; greet() { echo hi; }; cd /tmp",
  )
  const first = await manifest()
  expect(first.shell.cwd).toBe('/tmp')
  expect(first.shell.functions).toContain('greet')
  expect(Object.keys(first.shell.environment)).toEqual(expect.arrayContaining(['SECRET', 'OTHER']))
  expect(first.shell.environment).not.toHaveProperty('plain')
  expect(JSON.stringify(first)).not.toContain('hunter2')
  expect((await manifest()).shell).toEqual(first.shell)
  const otherKey = await manifest('ff'.repeat(32))
  expect(otherKey.shell.environment.SECRET).not.toBe(first.shell.environment.SECRET)
  await guest.run('export SECRET=changed')
  const later = await manifest()
  expect(later.shell.environment.SECRET).not.toBe(first.shell.environment.SECRET)
  expect(later.shell.environment.OTHER).toBe(first.shell.environment.OTHER)
})

test('tables of sockets are read as the kernel writes them, also in gVisor', () => {
  const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
  13: 064012C6:C33F 054012C6:B238 01 00000000:00000000 00:00000000 00000000     0        0       14 1 0000000000000000
  25: 00000000:1FBB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0       26 2 0000000000000000
  30: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1000        0       31 1`
  expect(parseSocketTable(tcp, 'tcp')).toMatchObject([
    { local: { address: '198.18.64.6', port: 49983 }, remote: { address: '198.18.64.5' }, state: 'established' },
    { local: { address: '0.0.0.0', port: 8123 }, state: 'listening', inode: '26' },
    { local: { address: '::1', port: 8080 }, state: 'listening', inode: '31' },
  ])
  const unix = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000001 00000000 00010000 0001 01       21 /tmp/us
0000000000000000: 00000001 00000000 00000000 0001 03       23 /tmp/a name
0000000000000000: 00000001 00000000 00000000 0001 03      114`
  expect(parseUnixTable(unix)).toEqual([
    { inode: '21', path: '/tmp/us', isConnected: false },
    { inode: '23', path: '/tmp/a name', isConnected: true },
    { inode: '114', path: '', isConnected: true },
  ])
})
