import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

const run = promisify(execFile)
const home = '/home/user'

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
const output = async (command: string) => {
  const { calls } = await thread.say(`/run ${command}`)
  return calls[0]?.output.tail ?? ''
}

test('C8: commands see a file written through the API, and the other way around', async () => {
  await files().write(thread.id, `${home}/from the app.txt`, bytes('äöü 🙂'))
  expect(await output(`cat '${home}/from the app.txt'`)).toBe('äöü 🙂')
  expect(await output(`stat -c %U '${home}/from the app.txt'`)).toBe('user\n')
  await thread.say(`/run printf 'made inside' > ${home}/inside.txt`)
  expect(await (await files().read(thread.id, `${home}/inside.txt`)).text()).toBe('made inside')
})

test('C8: an upload is saved under its path; a second one with the same name gets its own name', async () => {
  const first = await installation.client.threads.upload(thread.id, 'sales.csv', bytes('a,b\n1,2\n'))
  const second = await installation.client.threads.upload(thread.id, 'sales.csv', bytes('c\n'))
  expect([first.path, second.path]).toEqual([`${home}/uploads/sales.csv`, `${home}/uploads/sales (2).csv`])
  expect(await output(`cat '${first.path}' '${second.path}'`)).toBe('a,b\n1,2\nc\n')
})

test('a range of a file is served as a part, and a range beyond the file is refused', async () => {
  await files().write(thread.id, `${home}/digits.txt`, bytes('0123456789'))
  const part = await files().read(thread.id, `${home}/digits.txt`, { range: 'bytes=2-5' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-5/10', '2345'])
  const outside = files().read(thread.id, `${home}/digits.txt`, { range: 'bytes=50-60' })
  await expect(outside).rejects.toMatchObject({ code: 'file.range-outside' })
})

test('files that the sandbox user cannot read are not read through the app: by path, by `..`, by a link', async () => {
  await thread.say(`/run ln -s /etc/shadow ${home}/shadow-link; ln -s / ${home}/root-link; mkfifo ${home}/pipe`)
  for (const path of [
    '/etc/shadow',
    `${home}/../../etc/shadow`,
    `${home}/shadow-link`,
    `${home}/root-link/etc/shadow`,
  ]) {
    await expect(files().read(thread.id, path)).rejects.toMatchObject({ code: 'file.refused' })
    await expect(files().write(thread.id, path, bytes('x'))).rejects.toMatchObject({ code: 'file.refused' })
  }
  await expect(files().read(thread.id, `${home}/pipe`)).rejects.toMatchObject({ code: 'file.refused' })
  await expect(files().list(thread.id, '/root')).rejects.toMatchObject({ code: 'file.refused' })
})

test('a folder is downloaded as a zip, with links as links and without what cannot be packed', async () => {
  await thread.say(
    `/run mkdir -p ${home}/folder/sub && cd ${home}/folder && echo one > sub/a.txt && ln -s /etc/passwd link && mkfifo p`,
  )
  const response = await fetch(files().archiveUrl(thread.id, `${home}/folder`), {
    headers: { authorization: `Bearer ${installation.server.apiKey}` },
  })
  expect(response.headers.get('content-disposition')).toContain('folder.zip')
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-zip-'))
  await writeFile(join(directory, 'folder.zip'), new Uint8Array(await response.arrayBuffer()))
  const check =
    'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(z.testzip(),sorted(z.namelist()),z.read("sub/a.txt"))'
  const { stdout } = await run('python3', ['-c', check, join(directory, 'folder.zip')])
  expect(stdout.trim()).toBe(`None ['link', 'sub/', 'sub/a.txt'] b'one\\n'`)
  await rm(directory, { recursive: true })
})

test('a file that changed since it was read is not overwritten', async () => {
  await files().write(thread.id, `${home}/notes.md`, bytes('one'))
  const etag = (await files().read(thread.id, `${home}/notes.md`)).headers.get('etag') ?? ''
  await thread.say(`/run echo two > ${home}/notes.md`)
  const write = files().write(thread.id, `${home}/notes.md`, bytes('three'), { ifMatch: etag })
  await expect(write).rejects.toMatchObject({ code: 'file.changed' })
})
