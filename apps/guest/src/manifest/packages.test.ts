import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makePackageReader } from './packages.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'packages-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('a directory of packages is read again only after it has changed', () => {
  const directory = join(home, '.local/lib/python3.13/site-packages')
  const install = (name: string) => mkdirSync(join(directory, `${name}-1.0.dist-info`), { recursive: true })
  const setTime = () => utimesSync(directory, 1_800_000_000, 1_800_000_000)
  const read = makePackageReader()
  const python = () => read({ searchPath: '', home, aptLogStart: 0 }).python
  install('first')
  setTime()
  expect(python()).toEqual({ first: '1.0' })
  install('second')
  setTime()
  // As in every sandbox from a template: the disk is another one, and says that nothing has changed.
  expect(python()).toEqual({ first: '1.0' })
  install('third')
  expect(python()).toEqual({ first: '1.0', second: '1.0', third: '1.0' })
})
