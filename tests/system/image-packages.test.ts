import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPythonPackages } from '../../images/recipe/packages.ts'
import { startInstallation, type TestInstallation } from '../stack/installation.ts'

/** What a sandbox has before anybody installs anything. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.[Symbol.asyncDispose]())

test('G4 O1: every listed package does one real thing, and so does every language', { timeout: 900_000 }, async () => {
  const thread = await installation.newThread()
  for (const [name, probe] of [
    ['packages.py', 'python-packages.py'],
    ['languages.sh', 'languages.sh'],
  ] as const) {
    const content = await readFile(path.join(import.meta.dirname, '../../images/probes', probe))
    await installation.client.files.write(thread.id, `/home/user/${name}`, new Uint8Array(content))
  }
  const { calls } = await thread.say(
    '/run mkdir -p /tmp/probe && cd /tmp/probe && python3 ~/packages.py > ~/packages.jsonl; tail -c 2000 ~/packages.jsonl',
  )
  const report = await (await installation.client.files.read(thread.id, '/home/user/packages.jsonl')).text()
  const lines = report
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { package: string; ok: boolean; error?: string })
  expect(lines.filter(({ ok }) => !ok)).toEqual([])
  expect(lines.map((line) => line.package).sort()).toEqual(allPythonPackages().toSorted())
  expect(calls[0]?.status).toBe('succeeded')

  const languages = (await thread.say('/run bash ~/languages.sh')).calls[0]
  expect(languages).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
  for (const language of ['Bash', 'Python', 'Node', 'C', 'Go'])
    expect(languages?.output.tail).toContain(`${language} ok`)
})
