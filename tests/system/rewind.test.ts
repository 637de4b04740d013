import { afterAll, beforeAll, expect, test } from 'vitest'
import { output } from '../stack/in-threads.ts'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation[Symbol.asyncDispose]())

const messagesOf = async (thread: TestThread) =>
  (await thread.entries()).flatMap((entry) =>
    entry.kind === 'user-message' ? [{ id: entry.id, text: entry.text }] : [],
  )

test('C9: five turns are rewound: files and messages are as they were, the sandbox is cold; undo restores everything', async () => {
  const thread = await installation.newThread()
  const { threads, sandboxes } = installation.client
  await output(thread, 'echo first > /home/user/note; echo stays > /home/user/gone; export CITY=Oslo')
  // A message that follows immediately does not wait for the record.
  const { snapshots } = installation.client
  await expect.poll(async () => (await snapshots.list(thread.id)).snapshots[0]?.state).toBe('kept')
  await output(thread, 'echo second > /home/user/note; rm /home/user/gone')
  await output(thread, 'nohup sleep 1000 > /dev/null 2>&1 & echo 12345 > /home/user/added')
  for (const number of [4, 5, 6]) await output(thread, `echo ${number} > /home/user/note`)
  const before = await messagesOf(thread)
  const target = before[1]?.id ?? ''

  const preview = await threads.previewRewind(thread.id, target)
  expect(preview).toMatchObject({ problem: null, messages: { sent: 5 }, disk: { to: 'snapshot' }, calls: [] })
  const files = new Map(preview.disk.files?.map((file) => [file.path, file]))
  expect(files.get('/home/user/note')).toMatchObject({
    change: 'changed',
    bytesNow: 2,
    bytesThen: 6,
    lines: { added: 1, removed: 1 },
  })
  expect(files.get('/home/user/gone')).toMatchObject({ change: 'restored', bytesThen: 6 })
  expect(files.get('/home/user/added')).toMatchObject({ change: 'removed', bytesNow: 6 })
  expect(preview).toMatchObject({ bringsMemory: false, running: { knowsNow: true, knowsThen: true } })
  expect(preview.running.processes).toContainEqual({ name: 'sleep 1000', kind: 'process', change: 'removed' })

  const { rewindId } = await threads.rewind(thread.id, target)
  expect(await messagesOf(thread)).toEqual(before.slice(0, 1))
  expect((await sandboxes.get(thread.id)).sandbox.state).toBe('cold')
  await threads.undoRewind(thread.id, rewindId)
  expect(await messagesOf(thread)).toEqual(before)
  expect(await output(thread, 'cat /home/user/note /home/user/added; ls /home/user/gone || true')).toContain('6\n12345')

  await threads.rewind(thread.id, target)
  expect(
    await output(
      thread,
      'cat /home/user/note /home/user/gone; ls /home/user/added 2> /dev/null || true; pgrep sleep || echo none',
    ),
  ).toBe('first\nstays\nnone\n')
  const wakes = (await thread.entries()).filter((entry) => entry.kind === 'wake')
  expect(wakes.at(-1)).toMatchObject({ report: { from: 'disk', cause: { code: 'rewound' } } })
})

test('C9: a paused thread is rewound without its memory, and to before its first message like a new one', async () => {
  const thread = await installation.newThread()
  const { threads, sandboxes } = installation.client
  await output(thread, 'echo first > /home/user/note; export CITY=Oslo')
  await output(thread, 'echo second > /home/user/note; export CITY=Rome')
  await sandboxes.pause(thread.id)
  const [first, second] = await messagesOf(thread)
  await threads.rewind(thread.id, second?.id ?? '')
  // What a shell leaves for the next one is on the disk, so it is from the same time as the files.
  expect(await output(thread, 'cat /home/user/note; echo "[$CITY]"')).toBe('first\n[Oslo]\n')
  await threads.rewind(thread.id, first?.id ?? '')
  expect(await output(thread, 'test -e /home/user/note && echo there || echo none')).toBe('none\n')
})
