import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPythonPackages } from '../../images/recipe/packages.ts'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'
import { writeProbe } from './image/probes.ts'

/** The packages of a new sandbox. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

test('G4 O1: every listed Python package does one real thing', { timeout: 900_000 }, async () => {
  const thread = await installation.newThread()
  await writeProbe(installation, { thread, probe: 'python-packages.py' })
  const { calls } = await thread.say(
    '/run mkdir -p /tmp/probe && cd /tmp/probe && python3 ~/python-packages.py > ~/packages.jsonl; tail -c 2000 ~/packages.jsonl',
  )
  const report = await (await installation.client.files.read(thread.id, '/home/user/packages.jsonl')).text()
  const lines = report
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { package: string; ok: boolean; error?: string })
  expect(lines.filter(({ ok }) => !ok)).toEqual([])
  expect(lines.map((line) => line.package).sort()).toEqual(allPythonPackages().toSorted())
  expect(calls[0]?.status).toBe('succeeded')
})
