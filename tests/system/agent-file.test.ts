import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompressSync } from 'node:zlib'
import { hostPaths } from '@threadbox/protocol/host'
import type { Agent } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleWheel } from '../stack/example-wheel.ts'
import { foundOn } from '../stack/found-on.ts'
import { cell, output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'

/** Two installations of this machine that know nothing of each other; an agent goes from the first to the second. */
let first: TestInstallation
let second: TestInstallation
let directory: string
beforeAll(async () => {
  const serverEnvironment = { THREADBOX_CONNECTIONS_ALLOW: '127.0.0.0/8', THREADBOX_UNDO_SECONDS: '1' }
  directory = await mkdtemp(path.join(tmpdir(), 'agent-file-'))
  first = await startInstallation({ serverEnvironment })
  second = await startInstallation({ serverEnvironment })
})
afterAll(async () => {
  await Promise.all([first, second].map((installation) => installation?.[Symbol.asyncDispose]()))
  await rm(directory, { recursive: true, force: true })
})

const run = promisify(execFile)
const compress = promisify(zstdCompress)
const patience = { timeout: 120_000, interval: 500 }
const random = () => crypto.randomUUID().replaceAll('-', '')
const canary = random()
const secrets = {
  ssh: random(),
  netrc: random(),
  git: random(),
  aws: random(),
  npm: random(),
  history: random(),
  stored: random(),
  output: random(),
  ticked: `ghp_${random()}abcd`,
}
let agent: Agent
let exported: Buffer

async function download({ server }: TestInstallation, { id, current }: Agent): Promise<Buffer> {
  const where = `${server.loopbackOrigin}/api/v1/agents/${id}/versions/${current.version}/export`
  const response = await fetch(where, { headers: { authorization: `Bearer ${server.apiKey}` } })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}
async function onPool({ host }: TestInstallation): Promise<{ sandboxes: string[]; usedBytes: number }> {
  const list = (await host.request('GET', hostPaths.list())).body as { sandboxes: { sandboxId: string }[] }
  const { body } = await host.request('GET', hostPaths.info())
  const disks = execFileSync('ls', [path.join(host.diskDirectory, 'pool/disks')]).toString()
  const sandboxes = list.sandboxes.map(({ sandboxId }) => sandboxId)
  expect(disks.split('\n').filter((name) => name.startsWith('b') && !sandboxes.includes(name))).toEqual([])
  return { sandboxes: sandboxes.toSorted(), usedBytes: (body as { poolUsedBytes: number }).poolUsedBytes }
}
/** Head and disk of the exported file; the disk is what zstd makes of it, with another line and tar in it. */
function parts(): { head: Record<string, unknown>; disk: Buffer } {
  const start = exported.indexOf('\n') + 1
  const end = exported.indexOf('\n', start)
  const head = JSON.parse(exported.subarray(start, end).toString()) as Record<string, unknown>
  return { head, disk: exported.subarray(end + 1) }
}
function fileWith(disk: Buffer): Blob {
  const head = `threadbox-agent\n${JSON.stringify(parts().head)}\n`
  return new Blob([new Uint8Array(Buffer.from(head)), new Uint8Array(disk)])
}

test('C11: an agent leaves its installation as one file, in which nothing is that was secret', async () => {
  const { client, host, server } = first
  const source = await first.newThread()
  await output(source, `true; cat > /tmp/wheel.py <<'END'\n${exampleWheel}\nEND\npython3 /tmp/wheel.py`)
  await output(source, 'pip install --no-index /tmp/threadbox_example-1.0-py3-none-any.whl')
  await output(source, `mkdir -p data && echo ${canary} > data/canary && echo set nu > .vimrc; ln data/canary same`)
  await output(source, 'sudo rm /usr/bin/git; sudo chown 4242 data; export CITY=Oslo; cd data')
  await cell(source, 'import math\nrate = 7\ndef double(x): return 2 * x * rate // 7')
  await client.files.write(source.id, '/home/user/site/index.html', new Blob(['from the agent']))
  const command = 'python3 -m http.server 8000 --directory /home/user/site'
  await client.services.start(source.id, { name: 'site', command, port: 8000 })
  const files: Record<string, string> = {
    '.ssh/id_ed25519': secrets.ssh,
    '.netrc': `machine a login b password ${secrets.netrc}`,
    '.git-credentials': `https://a:${secrets.git}@example.com`,
    '.aws/credentials': `aws_secret_access_key=${secrets.aws}`,
    '.npmrc': `//registry.example.com/:_authToken=${secrets.npm}\n`,
    '.bash_history': `login ${secrets.history}`,
    'site/settings.json': `{"key": "${secrets.stored}"}`,
    '.env': `GITHUB_TOKEN=${secrets.ticked}\nCOLOUR=green\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    await client.files.write(source.id, `/home/user/${name}`, new Blob([text]))
  }
  await output(source, `for i in $(seq 40000); do echo ${secrets.output}; done`)
  const auth = { kind: 'bearer', token: secrets.stored } as const
  const connection = await client.connections.create({ name: 'Store', url: 'http://127.0.0.1:9/mcp', auth })
  const environment = await client.agents.capture(source.id)
  const redact = [{ path: '/home/user/.env', rule: 'github-token' }]
  agent = await client.agents.create({
    name: 'Analyst',
    instructions: 'Count.',
    connectionIds: [connection.id],
    environment: { id: environment.id, redact },
  })

  exported = await download(first, agent)
  const unpacked = path.join(directory, 'unpacked')
  execFileSync('mkdir', [unpacked])
  const { head, disk } = parts()
  await writeFile(path.join(unpacked, 'head.json'), JSON.stringify(head))
  await writeFile(path.join(unpacked, 'disk'), zstdDecompressSync(disk))
  await writeFile(path.join(unpacked, 'as-it-is'), exported)
  // The searcher finds what is there.
  expect(await foundOn(unpacked, { canary, ...secrets })).toEqual(['canary: /disk'])
  await writeFile(path.join(unpacked, 'planted'), secrets.netrc)
  expect(await foundOn(unpacked, secrets)).toEqual(['netrc: /planted'])
  // A tenth of a percent of what the image has: a difference, not a copy.
  expect(exported.byteLength).toBeLessThan(20_000_000)
  // What was said in the conversation is the conversation's; the rest is nowhere in the installation's own files.
  const { output: _said, ...others } = secrets
  const kept = await foundOn(server.directory, { name: 'Analyst', ...others })
  expect(kept.map((line) => line.split(':')[0])).toContain('name')
  expect(kept.filter((line) => !line.startsWith('name:'))).toEqual([])
  expect(host.dataDirectory).not.toBe(second.host.dataDirectory)
}, 600_000)

test('C11: on another installation a thread of it has everything, and what is missing is named', async () => {
  const { client } = second
  const { agent: made, needs } = await client.agents.import(new Blob([new Uint8Array(exported)]))
  expect(needs).toEqual([{ kind: 'connection', name: 'Store', url: 'http://127.0.0.1:9/mcp' }])
  expect(made).toMatchObject({ name: 'Analyst', current: { instructions: 'Count.', connectionIds: [] } })
  expect(made.current.environment).toMatchObject({ services: ['site'] })
  const thread = testThread(client, (await client.agents.start(made.id)).id)
  expect(await output(thread, 'echo $CITY $PWD; cat canary ~/.vimrc; stat -c %h ~/same')).toBe(
    `Oslo /home/user/data\n${canary}\nset nu\n2\n`,
  )
  expect(await output(thread, 'python3 -c "import threadbox_example; print(threadbox_example.ANSWER)"')).toBe('42\n')
  expect(await cell(thread, 'print(double(21), math.floor(2.5), rate)')).toBe('42 2 7')
  const states = async () => (await client.services.list(thread.id)).services.map((one) => one.status)
  await expect.poll(states, patience).toEqual(['running'])
  expect(await output(thread, 'curl -sS http://127.0.0.1:8000/')).toBe('from the agent')
  expect(await output(thread, 'ls -d ~/.ssh ~/.netrc ~/.aws /usr/bin/git 2>/dev/null | wc -l')).toBe('0\n')
  expect(await output(thread, 'stat -c %u ~/data; sudo -n true && sudo id -u')).toBe('4242\n0\n')
  expect(await output(thread, 'cat ~/.env')).toBe(`GITHUB_TOKEN=${'*'.repeat(secrets.ticked.length)}\nCOLOUR=green\n`)
  // And back: what was imported can be exported.
  const again = await download(second, made)
  expect(Math.abs(again.byteLength - exported.byteLength)).toBeLessThan(exported.byteLength / 2)
  await client.threads.delete(thread.id)
  await client.agents.delete(made.id)
  await expect.poll(async () => (await onPool(second)).sandboxes, patience).toEqual([])
}, 600_000)

test('C11: a file that is hostile, too large, cut off, or of another image is refused, and leaves nothing on the pool', async () => {
  const { client } = second
  await client.installation.updateSettings({ settings: { sandboxDiskBytes: 512 * 1024 * 1024 } })
  const before = await onPool(second)
  const made = path.join(directory, 'made')
  execFileSync('sh', [
    '-c',
    'mkdir -p "$1/folder"; cd "$1"; ln -s / link; echo x > folder/escaped; echo x > file',
    'sh',
    made,
  ])
  execFileSync('mknod', [path.join(made, 'device'), 'c', '1', '3'])
  // More than the disk may hold, of what no disk compresses.
  execFileSync('sh', ['-c', 'head -c 560M /dev/urandom > "$1"', 'sh', path.join(made, 'large')])
  const tarOf = async (...flags: string[]) => {
    const options = { maxBuffer: 2 ** 31 - 1, encoding: 'buffer' as const }
    const { stdout } = await run('tar', ['-C', made, '-P', '-cf', '-', ...flags], options)
    return await compress(Buffer.concat([Buffer.from('{"version":1,"removed":[]}\n'), stdout]))
  }
  const codeOf = (file: Blob) =>
    client.agents.import(file).then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
  const notUnpacked = 'environment.not-unpacked'
  expect({
    link: await codeOf(fileWith(await tarOf('--transform', 's,^folder,link/tmp,', 'link', 'folder/escaped'))),
    imageLink: await codeOf(fileWith(await tarOf('--transform', 's,^file,var/run/escaped,', 'file'))),
    absolute: await codeOf(fileWith(await tarOf('--transform', 's,^file,/tmp/escaped,', 'file'))),
    above: await codeOf(fileWith(await tarOf('--transform', 's,^file,../../escaped,', 'file'))),
    device: await codeOf(fileWith(await tarOf('device'))),
    large: await codeOf(fileWith(await tarOf('large'))),
    cutOff: await codeOf(new Blob([new Uint8Array(exported.subarray(0, -20))])),
    otherImage: await codeOf(
      new Blob(
        [exported.toString('latin1')].map((text) => {
          const { imageId } = parts().head.computer as { imageId: string }
          return new Uint8Array(Buffer.from(text.replace(imageId, `${imageId.slice(0, -3)}x-2`), 'latin1'))
        }),
      ),
    ),
  }).toEqual({
    link: notUnpacked,
    imageLink: notUnpacked,
    absolute: notUnpacked,
    above: notUnpacked,
    device: notUnpacked,
    large: 'environment.disk-too-large',
    cutOff: notUnpacked,
    otherImage: 'agent-file.other-image',
  })
  expect(execFileSync('sh', ['-c', 'ls /tmp/escaped /run/escaped /escaped 2>/dev/null || true']).toString()).toBe('')
  expect((await client.agents.list()).agents).toEqual([])
  await expect.poll(async () => (await onPool(second)).sandboxes, patience).toEqual(before.sandboxes)
  const grown = async () => (await onPool(second)).usedBytes - before.usedBytes
  await expect.poll(grown, patience).toBeLessThan(20_000_000)
}, 600_000)

test('C11: a host daemon that is killed while a file comes in leaves nothing of it, and takes it again', async () => {
  const { client, host } = second
  const before = await onPool(second)
  const half = exported.subarray(0, Math.floor(exported.length / 2))
  const importing = client.agents
    .import(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(half)),
        pull: () => new Promise(() => undefined),
      }),
    )
    .then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
  await expect.poll(async () => (await onPool(second)).sandboxes.length, patience).toBe(before.sandboxes.length + 1)
  await host.kill('SIGKILL')
  await host.restart()
  expect(await importing).not.toBe('accepted')
  await expect.poll(async () => (await onPool(second)).sandboxes, patience).toEqual(before.sandboxes)
  // Until the server has found the new daemon an import is refused.
  const imported = async () =>
    await client.agents.import(new Blob([new Uint8Array(exported)])).then(
      ({ agent }) => agent.current.environment?.services,
      (error: { code: string }) => error.code,
    )
  await expect.poll(imported, patience).toEqual(['site'])
}, 600_000)
