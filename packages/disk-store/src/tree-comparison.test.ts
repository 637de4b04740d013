import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compareTrees } from './tree-comparison.ts'

const MiB = 1024 * 1024

async function makeTrees() {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-trees-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const [before, after] = [join(directory, 'before'), join(directory, 'after')]
  await mkdir(before)
  await mkdir(after)
  for (let index = 0; index < 20; index++) await writeFile(join(after, `file-${index}`), '')
  return { before, after, comparesInodes: true }
}

test('trees with too many or too long names are not compared', async () => {
  const trees = await makeTrees()
  const refusal = { code: 'disk.too-many-files', kind: 'too-large' }
  const [few, short] = [
    { names: 19, textBytes: MiB },
    { names: 20, textBytes: 500 },
  ]
  await expect(compareTrees({ ...trees, limits: few })).rejects.toMatchObject(refusal)
  await expect(compareTrees({ ...trees, limits: short })).rejects.toMatchObject(refusal)
  expect(await compareTrees({ ...trees, limits: { names: 20, textBytes: MiB } })).toMatchObject({ addedCount: 20 })
})
