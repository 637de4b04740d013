import { afterAll, beforeAll, expect, test } from 'vitest'
import { cell } from '../stack/in-threads.ts'
import { sandboxIdsOf, startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'
import { foundIn, placeOf } from './agents-live/found-in.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const random = () => crypto.randomUUID().replaceAll('-', '')
const sandboxIds = () => sandboxIdsOf(installation)

test('C11: memory that contains what is removed from the files is not kept; the search finds it in a sleeping thread', async () => {
  const { client } = installation
  const others = await sandboxIds()
  const source = await installation.newThread()
  const password = random()
  await client.files.write(source.id, '/home/user/.netrc', new Blob([`machine a login b password ${password}`]))
  await cell(source, 'text = open("/home/user/.netrc").read(); rate = 7')
  const before = await sandboxIds()
  const environment = await client.agents.capture(source.id, { keepMemory: true })
  const traces = [{ kind: 'credentials', count: expect.any(Number) }]
  expect(environment.memory).toMatchObject({ kept: false, reason: 'secret-found', traces })
  expect(environment.captured.variables.names).toContain('rate')
  const [sandboxId = ''] = (await sandboxIds()).filter((id) => !before.includes(id))
  await expect(foundIn(placeOf(installation, 'memory', sandboxId), { password })).rejects.toMatchObject({ code: 2 })
  // The search finds its texts in an image that was not cleaned.
  const [own = ''] = before.filter((id) => !others.includes(id))
  await client.sandboxes.pause(source.id)
  expect(await foundIn(placeOf(installation, 'memory', own), { password })).toEqual(['password'])
  const agent = await client.agents.create({ name: 'Files', environment: { id: environment.id } })
  const started = await client.agents.start(agent.id)
  expect(started.sandbox.state).toBe('cold')
  expect(await cell(testThread(client, started.id), 'print(rate)')).toBe('7')
}, 1_200_000)
