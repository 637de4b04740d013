import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { removeBareContainers } from './bare-containers.ts'

test('what a killed measurement left in a pool is removed: programs, mounts and files; nothing else is', async () => {
  const pool = await mkdtemp(path.join(tmpdir(), 'threadbox-pool-'))
  try {
    const left = path.join(pool, 'raw-memory-left')
    const mount = path.join(left, 'state/null-netns')
    for (const directory of [mount, path.join(left, 'root/etc'), path.join(pool, 'disks')])
      await mkdir(directory, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', mount])
    const program = spawn('tail', ['-f', '/dev/null', `${left}/root`], { stdio: 'ignore' })
    const ended = once(program, 'exit')
    await removeBareContainers(pool)
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(await readdir(pool)).toEqual(['disks'])
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(left)
  } finally {
    await rm(pool, { recursive: true, force: true })
  }
})

test('a pool without such leftovers, or without anything, stays as it is', async () => {
  await expect(removeBareContainers(path.join(tmpdir(), 'threadbox-no-pool'))).resolves.toBeUndefined()
})
