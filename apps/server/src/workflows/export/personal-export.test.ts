import type { Thread } from '@threadbox/protocol/public'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let server: TestApplication
let owner: TestPerson
let thread: Thread
beforeAll(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  const ben = await server.addPerson('Ben')
  await post(ben, '/threads', { title: 'Of Ben' })
  thread = (await post(owner, '/threads', { title: 'Bike/rides' })) as Thread
  await post(owner, '/agents', { name: 'Helper', instructions: 'Help.' })
  const attachment = {
    id: 'a1',
    name: 'route.txt',
    mediaType: 'text/plain',
    sizeBytes: 5,
    path: '/home/user/route.txt',
  }
  await server.areas.platform.blobs.put(`attachments/${thread.id}/a1`, Buffer.from('route'))
  await server.areas.platform.blobs.put(`outputs/${thread.id}/c1`, Buffer.from('output'))
  const entry = { id: 'e1', turnId: 'n1', at: 1, kind: 'user-message', text: 'Where to?', status: 'delivered' } as const
  await server.areas.threads.log.append(thread.id, [
    { type: 'entry-added', entry: { ...entry, attachments: [attachment] } },
  ])
})
afterAll(() => server[Symbol.asyncDispose]())

async function post(person: TestPerson, path: string, body: unknown): Promise<unknown> {
  const response = await server.call('POST', `/api/v1${path}`, { person, body })
  expect([path, response.status]).toEqual([path, 201])
  return await response.json()
}

async function exported(): Promise<Map<string, string>> {
  const response = await server.call('GET', '/api/v1/me/export', { person: owner })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    files.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  return files
}

test('an export needs a session, never a key', async () => {
  const created = (await post(owner, '/api-keys', { name: 'key' })) as { secret: string }
  const headers = { authorization: `Bearer ${created.secret}` }
  expect((await server.call('GET', '/api/v1/me/export', { headers })).status).toBe(403)
})

test('C12: an export has everything that is the person’s own, and nothing of others', async () => {
  const files = await exported()
  const at = `threads/Bike rides.${thread.id}`
  expect([...files.keys()].toSorted()).toEqual(
    [
      'README.md',
      'account.json',
      'agents/Helper.threadbox-agent',
      `${at}/attachments/a1-route.txt`,
      `${at}/conversation.json`,
      `${at}/conversation.md`,
      `${at}/outputs/c1.txt`,
      'usage.csv',
    ].toSorted(),
  )
  expect(files.get(`${at}/conversation.md`)).toContain('Where to?')
  expect(files.get(`${at}/attachments/a1-route.txt`)).toBe('route')
  expect(JSON.parse(files.get('account.json') ?? '')).toMatchObject({ account: { email: 'owner@example.com' } })
  expect(files.get('README.md')).toContain('Nothing is missing.')
})

test('what can’t be included is listed with the reason', async () => {
  await server.areas.platform.blobs.delete(`attachments/${thread.id}/a1`)
  await tablesIn(server.open)
    .insertInto('sandboxes')
    .values({
      id: 's1',
      thread_id: thread.id,
      state: 'hot',
      since: 1,
      memory_bytes: 1,
      cpus: 1,
      processes: 1,
      disk_bytes: 1,
      created_at: 1,
      has_run: 1,
      used_at: 1,
      limit_announced: 0,
      is_frozen: 0,
    } as never)
    .execute()
  const readme = (await exported()).get('README.md') ?? ''
  expect(readme).toContain('route.txt: it no longer exists.')
  expect(readme).toContain(`Files of the sandbox of “Bike/rides” (${thread.id}): `)
})
