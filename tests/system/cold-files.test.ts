import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** Whether a thread’s files stay: from message to message, and in a cold start after its memory was discarded. */
let installation: TestInstallation
let thread: TestThread
beforeAll(async () => {
  installation = await startInstallation({})
  thread = await installation.newThread()
  await output('pip install --quiet --disable-pip-version-check cowsay && uv pip install --quiet emoji')
  await output(
    'sudo apt-get update -qq && sudo DEBIAN_FRONTEND=noninteractive apt-get install -y -qq hello >/dev/null 2>&1',
  )
  await output('npm install --global --silent is-odd >/dev/null')
})
afterAll(() => installation[Symbol.asyncDispose]())

const directories = ['/home/user', '/opt', '/usr/local', '/etc', '/srv', '/var', '/root']
/** What a cold start can change, and why. */
const leftOut = {
  '/var/lib/threadbox': 'the guest keeps the shell session and the rescue there, which are written at the end of each',
  '/etc/hosts': 'made by the host for each boot and mounted',
  '/etc/resolv.conf': 'made by the host for each boot and mounted',
  '/etc/ssl/certs/ca-certificates.crt': 'of the host, mounted',
}
/** gVisor keeps named pipes in memory, like sockets; their names are lost with them. */
const inMemoryOnly = ['/home/user/awkward/pipe', '/var/of-root/pipe']

async function output(command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], calls[0]?.output.tail).toMatchObject({ status: 'succeeded', result: { exitCode: 0 } })
  return calls[0]?.output.tail ?? ''
}

async function upload(name: string) {
  const content = await readFile(path.join(import.meta.dirname, 'cold-files', name))
  await installation.client.files.write(thread.id, `/tmp/${name}`, new Uint8Array(content))
}

const imageReads = repeats({
  what: 'times that an inventory before and after a cold start reads files that are unchanged since they came with the image',
  byDefault: 0,
  full: 1,
})
const readSince = imageReads > 0 ? 0 : Math.floor(Date.now() / 1000) - 60

/** Writes the inventory to a file that is not part of it, and returns the number of entries with a digest. */
const inventory = (to: string) =>
  output(
    `sudo python3 /tmp/inventory.py ${to} ${readSince} ${directories.join(' ')} -- ${Object.keys(leftOut).join(' ')}`,
  )

async function dropToCold() {
  const { sandboxes, threads } = installation.client
  await sandboxes.change(thread.id, { policy: { hotKeep: 'strict', hotHours: 0 } })
  await sandboxes.pause(thread.id)
  await vi.waitFor(async () => expect((await threads.get(thread.id)).sandbox.state).toBe('cold'), {
    timeout: 60_000,
    interval: 200,
  })
}

const installed = `python3 -c "import cowsay, emoji; print(emoji.emojize(':snake:'))" && hello &&
NODE_PATH=$(npm root -g) node -p "require('is-odd')(3)"`

const messages = repeats({ what: 'messages between installing packages and using them', byDefault: 10, full: 100 })
test(`C7: what pip, uv, apt and npm installed in message 1 still works ${messages} messages later`, {
  timeout: 600_000,
}, async () => {
  for (let message = 0; message < messages; message++) await output('true')
  expect(await output(installed)).toBe('🐍\nHello, world!\ntrue\n')
})

test('A3: every file is the same after memory was discarded, and what four package managers installed works', {
  timeout: 600_000,
}, async () => {
  for (const name of ['awkward.py', 'of-root.sh', 'inventory.py', 'compare.py']) await upload(name)
  await output('python3 /tmp/awkward.py && sudo bash /tmp/of-root.sh')
  expect(await output(installed)).toBe('🐍\nHello, world!\ntrue\n')

  const before = await inventory('/tmp/before')
  expect(Number(before.split(' ')[0])).toBeGreaterThan(5_000)
  await dropToCold()
  // The earlier inventory is a file too: the digest printed before proves that it is unchanged.
  expect(await output('sha256sum < /tmp/before | cut -c 1-64')).toBe(`${before.trim().split(' ')[1]}\n`)
  const { latestReport } = await installation.client.sandboxes.get(thread.id)
  expect(latestReport).toMatchObject({ from: 'disk', cause: { code: 'memory-given-up' } })
  await inventory('/tmp/after')
  const differences = await output('python3 /tmp/compare.py /tmp/before /tmp/after | cut -c 1-400')
  expect(differences.split('\n').filter((line) => line !== '')).toEqual(inMemoryOnly.map((file) => `gone ${file}`))
  expect(await output("stat -c '%n %y' ~/awkward/old-directory")).toContain('2001-02-03 04:05:06.789012345')
  expect(await output(installed)).toBe('🐍\nHello, world!\ntrue\n')
})
