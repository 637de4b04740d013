import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { UserEvent } from '@threadbox/protocol/public'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

const home = '/home/user'
const run = promisify(execFile)

let installation: TestInstallation
let thread: TestThread
beforeAll(async () => {
  installation = await startInstallation()
  thread = await installation.newThread()
  await thread.say('/run echo ready')
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const files = () => installation.client.files
const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = async (path: string, options: { wake?: boolean; range?: string } = {}) =>
  await (await files().read(thread.id, path, options)).text()
const stateNow = async () => (await installation.client.threads.get(thread.id)).sandbox.state
const allNames = async (folder: string, limit: number, wake = true) => {
  const names: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = await files().list(thread.id, folder, { after, limit, wake })
    names.push(...page.entries.map(({ name }) => name))
    after = page.next
  }
  return names
}

test('C8: ten thousand files are listed in parts, each once, ordered by name', async () => {
  await thread.say('/run mkdir ~/many && cd ~/many && seq -f "file %g" 1 10000 | xargs -d "\\n" touch')
  const names = await allNames(`${home}/many`, 3000)
  expect(names).toHaveLength(10_000)
  expect(names).toEqual([...new Set(names)].toSorted())
})

test('C8: names with spaces, emoji, right-to-left marks and line breaks are listed, read, renamed and removed', async () => {
  const folder = `${home}/names`
  await files().makeFolder(thread.id, folder)
  const names = ['with space', '🙂 emoji', 'עברית \u202etxt.exe', 'line\nbreak'].toSorted()
  for (const name of names) await files().write(thread.id, `${folder}/${name}`, bytes(name))
  expect(await allNames(folder, 100)).toEqual(names)
  for (const name of names) {
    expect(await textOf(`${folder}/${name}`)).toBe(name)
    await files().move(thread.id, { from: `${folder}/${name}`, to: `${folder}/${name} 2` })
    expect(await files().delete(thread.id, `${folder}/${name} 2`)).toMatchObject({ name: `${name} 2` })
  }
  expect(await allNames(folder, 100)).toEqual([])
})

test('C8: two writes of the same size in quick succession are distinguished', async () => {
  const path = `${home}/fast.txt`
  const versions: string[] = []
  for (const text of ['aaaa', 'bbbb', 'cccc', 'dddd']) {
    versions.push((await files().write(thread.id, path, bytes(text))).version)
  }
  expect(new Set(versions).size).toBe(4)
  const late = files().write(thread.id, path, bytes('eeee'), { ifMatch: versions[2] ?? '' })
  await expect(late).rejects.toMatchObject({ code: 'file.changed', details: { version: versions[3] } })
})

test('C8: a change in a watched folder is reported, and watching does not keep the sandbox awake', async () => {
  const told = Promise.withResolvers<UserEvent>()
  const opened = Promise.withResolvers<void>()
  const following = new AbortController()
  const stream = installation.client.streamUser({
    signal: following.signal,
    onStatus: ({ state }) => state === 'open' && opened.resolve(),
    onEvent: (event) => event.type === 'files-changed' && told.resolve(event),
  })
  await opened.promise
  await files().watch(thread.id, [home])
  await thread.say('/run echo x > ~/watched.txt')
  expect(await told.promise).toMatchObject({ threadId: thread.id, path: home })
  following.abort()
  await stream.catch(() => undefined)
  await installation.client.sandboxes.pause(thread.id)
  expect(await stateNow()).toBe('paused')
})

test('C8: the files of a paused sandbox are read as they were, without following links, and nothing wakes', async () => {
  await thread.say(
    '/run echo kept > ~/kept.txt; ln -s /etc/passwd ~/link; mkfifo ~/pipe; sudo sh -c "echo s > /root/s"',
  )
  const awake = await files().entry(thread.id, `${home}/kept.txt`)
  await installation.client.sandboxes.pause(thread.id)
  const asleep = await files().entry(thread.id, `${home}/kept.txt`, { wake: false })
  // The memory has times that the disk does not: fractions of a second can differ.
  expect(asleep).toMatchObject({ type: 'file', sizeBytes: awake.sizeBytes })
  expect(Math.abs(asleep.modifiedAt - awake.modifiedAt)).toBeLessThan(1000)
  expect(await textOf(`${home}/kept.txt`, { wake: false })).toBe('kept\n')
  expect(await textOf(`${home}/kept.txt`, { wake: false, range: 'bytes=1-2' })).toBe('ep')
  expect(await allNames(`${home}/many`, 4000, false)).toHaveLength(10_000)
  // The sandbox’s kernel keeps named pipes in its memory: the disk has none.
  await expect(files().read(thread.id, `${home}/pipe`, { wake: false })).rejects.toMatchObject({
    code: 'file.not-found',
  })
  for (const path of [`${home}/link`, '/root/s']) {
    await expect(files().read(thread.id, path, { wake: false })).rejects.toMatchObject({ code: 'file.refused' })
  }
  expect(await stateNow()).toBe('paused')
  // The disk is exactly as the memory remembers it: it wakes with its memory.
  await thread.say('/run true')
  expect(await textOf(`${home}/kept.txt`)).toBe('kept\n')
})

test('C8: files are copied out of a thread that stays asleep, without its links; some of a folder comes as a zip', async () => {
  const other = await installation.newThread()
  await other.say(
    '/run mkdir -p ~/src/in && cd ~/src && echo a > in/a.txt && ln -s /etc/passwd link && echo b > b.txt && chmod +x b.txt',
  )
  await installation.client.sandboxes.pause(other.id)
  const request = { fromThreadId: other.id, paths: [`${home}/src`], to: home }
  expect(await files().copy(thread.id, request)).toEqual({ files: 2, bytes: 4, skipped: [`${home}/src/link`] })
  expect(await textOf(`${home}/src/in/a.txt`)).toBe('a\n')
  const permissions = async (name: string) => (await files().entry(thread.id, `${home}/src/${name}`)).permissions
  expect([await permissions('b.txt'), await permissions('in/a.txt')]).toEqual(['-rwxr-xr-x', '-rw-r--r--'])
  await expect(files().copy(thread.id, request)).rejects.toMatchObject({ code: 'file.path-taken' })
  expect((await installation.client.threads.get(other.id)).sandbox.state).toBe('paused')

  const address = files().archiveUrl(thread.id, home, ['src/in', 'src/b.txt', 'none'])
  const answer = await fetch(address, { headers: authorization() })
  await files().write(thread.id, `${home}/some.zip`, await answer.blob())
  const { calls } = await thread.say('/run unzip -Z1 ~/some.zip')
  expect(calls[0]?.output.tail.trim().split('\n').toSorted()).toEqual(['src/b.txt', 'src/in/', 'src/in/a.txt'])
  const outside = files().archiveUrl(thread.id, home, ['../../etc'])
  expect((await fetch(outside, { headers: authorization() })).status).toBe(400)
})

test('C8: a folder of a sandbox that sleeps comes as a zip, whole or in part, and nothing wakes', async () => {
  await thread.say(
    '/run mkdir -p ~/zip/sub && cd ~/zip && head -c 3M /dev/urandom > sub/large.bin && sha256sum sub/large.bin > sum && ' +
      "ln -s /etc/passwd link && touch $'\\xff' && mkdir closed && echo s > closed/s && chmod 000 closed",
  )
  await installation.client.sandboxes.pause(thread.id)
  // A name that is not UTF-8 is read in the old character set of zips.
  const names = ['closed/', 'link', 'sub/', 'sub/large.bin', 'sum', '\u00a0']
  const whole = await zipped(files().archiveUrl(thread.id, `${home}/zip`))
  expect(whole).toMatchObject({ names, sum: expect.stringContaining(whole.digest), link: '/etc/passwd' })
  const part = files().archiveUrl(thread.id, `${home}/zip`, ['sub', 'none', 'link', 'link/passwd'])
  expect((await zipped(part)).names).toEqual(['link', 'sub/', 'sub/large.bin'])
  const ofFile = await fetch(files().archiveUrl(thread.id, `${home}/zip/sum`), { headers: authorization() })
  expect(ofFile.status).toBe(400)
  expect(await stateNow()).toBe('paused')
  await thread.say('/run chmod 700 ~/zip/closed')
})

test('C8: any part of a 1 GB file arrives immediately, and much of it in bounded memory, awake and asleep', async () => {
  await thread.say(
    '/run seq 1 300000 > ~/huge.log; truncate -s 1073741819 ~/huge.log; printf "\\nend\\n" >> ~/huge.log',
  )
  const path = `${home}/huge.log`
  const sizeBytes = 1024 ** 3
  for (const wake of [true, false]) {
    if (!wake) await installation.client.sandboxes.pause(thread.id)
    expect(await files().entry(thread.id, path, { wake })).toMatchObject({ sizeBytes })
    expect(await textOf(path, { wake, range: 'bytes=0-3' })).toBe('1\n2\n')
    expect(await textOf(path, { wake, range: `bytes=${sizeBytes - 4}-${sizeBytes - 1}` })).toBe('end\n')
    const before = await residentMegabytes()
    // More of it where no sandbox has to transfer it.
    const wantedBytes = wake ? sizeBytes / 16 : sizeBytes / 4
    let [readBytes, most] = [0, 0]
    const { body } = await files().read(thread.id, path, { wake, range: `bytes=0-${wantedBytes - 1}` })
    for await (const chunk of body ?? []) {
      const isNextPart = readBytes % 2 ** 24 > (readBytes + chunk.length) % 2 ** 24
      readBytes += chunk.length
      if (isNextPart) most = Math.max(most, await residentMegabytes())
    }
    expect(readBytes).toBe(wantedBytes)
    expect(most).toBeGreaterThan(0)
    expect(most - before).toBeLessThan(150)
  }
  expect(await stateNow()).toBe('paused')
}, 1_200_000)

const authorization = () => ({ authorization: `Bearer ${installation.server.apiKey}` })

/** What an independent zip reader finds at an address, after it verified every checksum. */
async function zipped(address: string): Promise<{ names: string[]; sum: string; digest: string; link: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-zip-'))
  try {
    const path = join(directory, 'folder.zip')
    const answer = await fetch(address, { headers: authorization() })
    await writeFile(path, new Uint8Array(await answer.arrayBuffer()))
    const inspection = `import hashlib,json,sys,zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
read = lambda name: z.read(name) if name in z.namelist() else b''
print(json.dumps({'names': sorted(z.namelist()), 'sum': read('sum').decode(), 'link': read('link').decode(),
  'digest': hashlib.sha256(read('sub/large.bin')).hexdigest()}))`
    return JSON.parse((await run('python3', ['-c', inspection, path])).stdout)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Resident memory of the server. */
async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${installation.server.pid()}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
