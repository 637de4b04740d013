import { expect, test } from 'vitest'
import { changedTestFiles } from './changed-tests.ts'
import { makeSourceGraph } from './source-graph.ts'

const texts: Record<string, string> = {
  'apps/server/src/main.ts': "import { run } from './run.ts'",
  'apps/server/src/run.ts': "import { idOf } from '@threadbox/domain'\nexport type { Run } from './types.ts'",
  'apps/server/src/types.ts': '',
  'apps/server/src/run.test.ts': "import { run } from './run.ts'",
  'packages/domain/src/index.ts': '',
  'packages/testkit/src/server.ts': "const source = 'apps/server/src/main.ts'",
  'tests/system/runs.test.ts': "import { start } from '../../packages/testkit/src/server.ts'",
  'tests/system/page.test.ts': "read(path.join(import.meta.dirname, 'page/site.mjs'))",
  'tests/system/page/site.mjs': '',
  'tests/system/probes.test.ts': "for (const file of list('../../images/probes')) {}",
  'images/probes/all.py': '',
}
const graph = makeSourceGraph({
  files: Object.keys(texts),
  textOf: (file) => texts[file],
  exportsOf: new Map([['@threadbox/domain', 'packages/domain/src/index.ts']]),
})
const testsReaching = (file: string) => [...graph.reaching([file])].filter((one) => one.includes('.test.')).sort()

test.each([
  ['a package', 'packages/domain/src/index.ts', ['apps/server/src/run.test.ts', 'tests/system/runs.test.ts']],
  ['types alone', 'apps/server/src/types.ts', ['apps/server/src/run.test.ts', 'tests/system/runs.test.ts']],
  ['the program that a test starts', 'apps/server/src/main.ts', ['tests/system/runs.test.ts']],
  ['a file that a test reads', 'tests/system/page/site.mjs', ['tests/system/page.test.ts']],
  ['a folder that a test reads', 'images/probes/all.py', ['tests/system/probes.test.ts']],
  ['a test itself', 'tests/system/page.test.ts', ['tests/system/page.test.ts']],
])('a change of %s reaches the tests that use it', (_, file, tests) => {
  expect(testsReaching(file)).toEqual(tests)
})

test('an empty change reaches nothing, and each listed test file exists', async () => {
  expect([...graph.reaching([])]).toEqual([])
  const { files } = await changedTestFiles('HEAD')
  expect(files === 'all' || files.every((file) => /\.test\.tsx?$/.test(file))).toBe(true)
})
