import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { changeFileSystemId } from './file-system-id.ts'

const folder = mkdtempSync(join(tmpdir(), 'threadbox-copies-'))
const mounted: string[] = []
afterEach(() => {
  for (const place of mounted.splice(0)) execFileSync('umount', [place])
  rmSync(folder, { recursive: true })
})

test('copies of a file system with new IDs are mounted beside it, undamaged', async () => {
  const names = ['original', 'first', 'second']
  const [original = '', ...copies] = names.map((name) => join(folder, name))
  writeFileSync(original, '')
  truncateSync(original, 256 * 1024 ** 2)
  execFileSync('mkfs.btrfs', ['--quiet', original])
  for (const copy of copies) {
    cpSync(original, copy)
    await changeFileSystemId(copy)
    execFileSync('btrfs', ['check', copy], { stdio: 'ignore' })
  }
  await changeFileSystemId(copies[0] ?? '')
  const before = readdirSync('/sys/fs/btrfs')
  for (const file of [original, ...copies]) {
    const place = `${file}-mounted`
    mkdirSync(place)
    execFileSync('mount', ['-o', 'loop', file, place])
    mounted.push(place)
    expect(readdirSync('/sys/fs/btrfs')).toContain(idOf(place))
  }
  expect(new Set(mounted.map(idOf)).size).toBe(names.length)
  expect(before).not.toContain(idOf(mounted[0] ?? ''))
})

function idOf(place: string): string {
  const shown = execFileSync('btrfs', ['filesystem', 'show', place], { encoding: 'utf8' })
  return /uuid: (\S+)/.exec(shown)?.[1] ?? `no ID in ${shown}`
}
