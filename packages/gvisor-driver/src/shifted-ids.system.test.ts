import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkShiftedIds, shiftExitCodes, withShiftedIds } from './shifted-ids.ts'

const run = promisify(execFile)

let directory: string
let rootPath: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp('/var/lib/threadbox-shifted-')
  rootPath = path.join(directory, 'root')
  file = path.join(directory, 'hosts')
  await mkdir(rootPath)
  await chmod(rootPath, 0o755)
  await writeFile(file, 'a host')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

test('a machine without user namespaces is reported as such', async () => {
  const command = withShiftedIds({ rootPath, files: [file] }, ['/bin/true'])
  const limited = ['-c', 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh', ...command]
  const ended = run('unshare', ['--user', '--map-root-user', 'sh', ...limited])
  await expect(ended).rejects.toMatchObject({
    code: shiftExitCodes.noNamespace,
    stderr: expect.stringMatching(/^user namespace: No space left on device$/m),
  })
})

test('a file system that can’t shift IDs is reported with its file', async () => {
  const found = await checkShiftedIds({ rootPath, files: [file, '/proc/version'] })
  expect(found).toEqual({ state: 'notShifted', reason: 'shift the IDs of /proc/version: Invalid argument' })
})

test('what would be hidden by the mount of the disk is refused', async () => {
  const found = await checkShiftedIds({ rootPath, files: ['/dev/shm/of-another'] })
  expect(found).toEqual({ state: 'notShifted', reason: '/dev/shm: Device or resource busy' })
})

test('without perl, IDs are not shifted', async () => {
  vi.stubEnv('PATH', directory)
  expect(await checkShiftedIds({ rootPath, files: [file] })).toMatchObject({ state: 'notShifted' })
})

test('the command sees the files with shifted IDs, and the machine keeps its mounts', async () => {
  expect(await checkShiftedIds({ rootPath, files: [file] })).toEqual({ state: 'shifted' })
  const before = await mountsOf(directory)
  const [perl, ...args] = withShiftedIds({ rootPath, files: [file] }, ['/usr/bin/stat', '-c', '%u', '/dev/shm', file])
  const { stdout } = await run(perl, args)
  expect(stdout.trim().split('\n').map(Number)).toEqual([2 ** 31, 2 ** 31])
  expect(await mountsOf(directory)).toEqual(before)
})

test('helpers are in their place for the command only, whatever their own directory permits', async () => {
  const helpers = { directory: path.join(directory, 'helpers'), place: path.join(directory, 'place') }
  for (const made of Object.values(helpers)) await mkdir(made, { mode: 0o700 })
  await writeFile(path.join(helpers.directory, 'program'), '', { mode: 0o700 })
  const show = ['/usr/bin/stat', '-c', '%u', path.join(helpers.place, 'program')]
  const [perl, ...args] = withShiftedIds({ rootPath, files: [file], helpers }, show)
  const { stdout } = await run(perl, args)
  expect(Number(stdout)).toBe(2 ** 31)
  expect(await readdir(helpers.place)).toEqual([])
})

/** Mounts of the machine with this path or on shared memory, which the program covers; other tests mount their own. */
async function mountsOf(part: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  return lines.filter((line) => line.includes(part) || line.includes(' /dev/shm '))
}
