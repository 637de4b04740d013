import { type Client, createClient } from '@connectrpc/connect'
import { filesystem, runs } from '@threadbox/protocol/guest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GuestSandbox, startGuestSandbox } from '../stack/guest-sandbox.ts'

const { EndCause } = runs
let guest: GuestSandbox
let client: Client<typeof runs.Runs>
let files: Client<typeof filesystem.Filesystem>

beforeAll(async () => {
  guest = await startGuestSandbox()
  client = createClient(runs.Runs, guest.transport)
  files = createClient(filesystem.Filesystem, guest.transport)
})
afterAll(async () => {
  await guest?.[Symbol.asyncDispose]()
})

const run = (command: string) => guest.host.run(guest.sandboxId, command)
const fileUrl = (path: string, more = '') => `${guest.guestUrl}/files?path=${encodeURIComponent(path)}${more}`
const upload = (path: string, body: string, more = '') =>
  fetch(fileUrl(path, more), { method: 'POST', body, headers: { 'content-type': 'application/octet-stream' } })

let cells = 0
async function runCell(code: string, options: { onOutput?: (text: string) => Promise<void> | void } = {}) {
  const key = `cell-${++cells}`
  await client.startCell({ key, code })
  for await (const { event } of client.read({ key })) {
    if (event.case === 'output') {
      await options.onOutput?.(Buffer.from(event.value.data).toString())
      await client.acknowledge({ key, offset: event.value.offset + BigInt(event.value.data.length) })
    }
    if (event.case === 'ended') return event.value
  }
  throw new Error('the cell was not read to its end')
}

test('O3: neither a user nor root can end the guest by the name of a program', async () => {
  await run('pkill -9 node; pkill -9 -f node; sudo pkill -9 node; sudo pkill -9 -f "no[d]e"; sudo kill -TERM 1; true')
  expect((await run('echo alive')).output).toBe('alive\n')
})

test('orphans are reaped', async () => {
  await run('for i in $(seq 20); do (setsid sleep 0.01 &) ; done; sleep 0.5')
  expect((await run('ps -eo stat= | grep -c Z || true')).output).toBe('0\n')
})

test('a program runs as the user, with the user’s process limit', async () => {
  expect((await run('id -un; ulimit -u; sudo id -un')).output).toBe('user\n256\nroot\n')
})

test('C9: Stop ends a fork bomb while the guest keeps serving', async () => {
  await client.startCommand({ key: 'bomb', command: 'bomb() { bomb | bomb & bomb; }; bomb' })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await fetch(`${guest.guestUrl}/activity`)).status).toBe(200)
  await client.stop({ key: 'bomb' })
  expect((await run('echo alive; pgrep --count --uid user bash')).output).toMatch(/^alive\n[1-4]\n$/)
})

test('a program that uses up its file descriptors affects no other program', async () => {
  const greedy =
    'import os\nfiles = []\ntry:\n    while True: files.append(os.open("/etc/passwd", os.O_RDONLY))\nexcept OSError as error: print(error.strerror)'
  expect((await run(`python3 -c '${greedy}'`)).output).toBe('Too many open files\n')
  expect((await run('echo alive')).output).toBe('alive\n')
})

test('files are read and written with the rights of the user, whatever links say', async () => {
  await run(
    'ln -sf /etc/shadow shadow; ln -sf /etc roots; ln -sf / all; sudo install -m 600 /dev/null /home/user/secret',
  )
  for (const path of ['shadow', 'roots/shadow', 'all/etc/shadow', '../../etc/shadow', '/proc/1/environ', 'secret']) {
    expect((await fetch(fileUrl(path))).status).toBe(403)
  }
  expect((await fetch(fileUrl('/home/user/shadow', '&username=root'))).status).toBe(200)
  for (const path of ['/etc/passwd', 'roots/new', 'all/new', '/new', 'secret']) {
    expect((await upload(path, 'x')).status).toBe(403)
  }
  await expect(files.remove({ path: 'roots/passwd' })).rejects.toThrow(/permission_denied/)
  await expect(files.move({ source: '/etc/passwd', destination: 'mine' })).rejects.toThrow(/permission_denied/)
  await expect(files.listDir({ path: '/root' })).rejects.toThrow(/permission_denied/)
  expect((await run('sudo stat -c %s /etc/passwd /home/user/secret | tail -1; ls /new')).output).toMatch(/^0\n/)
})

test('anything but a regular file is neither read nor written, and nothing waits for it', async () => {
  await run('mkfifo -m 666 pipe; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'sock\')"')
  for (const path of ['pipe', 'sock', '/dev/zero', '/home/user', '\0', 'a\0b']) {
    const read = await fetch(fileUrl(path))
    const written = await upload(path, 'x')
    expect({ path, read: read.status, written: written.status }).toEqual({ path, read: 400, written: 400 })
  }
  expect((await fetch(fileUrl('x'.repeat(5_000)))).status).toBe(400)
})

test('names that are not valid UTF-8 do not break a listing, and are unchanged in the archive', async () => {
  await run(`mkdir -p odd && cd odd && touch $'\\xff\\xfe' plain 'line
break' && ln -sf /etc/shadow link && mkfifo pipe`)
  const { entries } = await files.listDir({ path: '/home/user/odd', depth: 1 })
  expect(entries.map((entry) => entry.name)).toContain('plain')
  const zip = Buffer.from(await (await fetch(`${guest.guestUrl}/files/archive?path=/home/user/odd`)).arrayBuffer())
  expect(zip.includes(Buffer.from([0xff, 0xfe]))).toBe(true)
  expect(zip.includes('root:')).toBe(false)
  await upload('odd.zip', '')
  const list = 'import zipfile; print(sorted(info.filename for info in zipfile.ZipFile("odd.zip").infolist()))'
  await fetch(fileUrl('odd.zip'), {
    method: 'POST',
    body: zip,
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect((await run(`cd ~ && python3 -c '${list}'; python3 -m zipfile -t odd.zip`)).output).toContain("'plain'")
})

test('an upload replaces a file in one step, with its mode, and keeps what other names share', async () => {
  await run('cd ~; echo old > script; chmod 751 script; echo old > one; ln -f one two; ln -sf script link')
  expect((await upload('link', 'new')).status).toBe(200)
  expect((await upload('one', 'new')).status).toBe(200)
  expect((await run('stat -c %a script; cat script two; readlink link')).output).toBe('751\nnewnewscript\n')
})

test('G5: a cell that prints a million lines loses none and repeats none', async () => {
  let next = 0
  let rest = ''
  const ended = await runCell('for i in range(1_000_000): print(i)', {
    onOutput: (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (Number(line) === next) next += 1
    },
  })
  expect(next).toBe(1_000_000)
  expect(ended.exitCode).toBe(0)
}, 300_000)

test('a cell is interrupted by Stop and its variables stay; a kernel that dies is reported and replaced', async () => {
  await runCell('kept = 41')
  await client.startCell({ key: 'endless', code: 'print("up")\nwhile True: pass' })
  for await (const { event } of client.read({ key: 'endless' })) if (event.case === 'output') break
  await client.stop({ key: 'endless' })
  let seen = ''
  const add = (text: string) => {
    seen += text
  }
  await runCell('print(kept + 1)', { onOutput: add })
  expect(seen).toBe('42\n')
  expect((await runCell('import os; os._exit(3)')).cause).toBe(EndCause.KERNEL_DIED)
  expect(await runCell('kept')).toMatchObject({ errorName: 'NameError', exitCode: 1 })
}, 120_000)
