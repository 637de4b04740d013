import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { writeProbe } from './image/probes.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

test('G4 O1: a program in every listed language is built and runs', { timeout: 900_000 }, async () => {
  const thread = await installation.newThread()
  await writeProbe(installation, { thread, probe: 'languages.sh' })
  const languages = (await thread.say('/run bash ~/languages.sh')).calls[0]
  expect(languages).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  for (const language of ['Bash', 'Python', 'Node', 'C', 'Go'])
    expect(languages?.output.tail).toContain(`${language} ok`)
})
