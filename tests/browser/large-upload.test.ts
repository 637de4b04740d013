import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageField, send } from './app-in-browser.ts'
import { type BrowserStage, closePage, startBrowserStage } from './harness.ts'

const fileMegabytes = repeats({ what: 'MB that are uploaded from the browser', byDefault: 400, full: 1000 })
const fileBytes = fileMegabytes * 1e6
/** The file, its copy on the server and the one in the sandbox, with space to spare. */
const neededBytes = 4 * fileBytes
/** Smaller than the file: data in transit, not all data sent. */
const maxGrowthBytes = 250e6

let stage: BrowserStage
let directory: string
beforeAll(async () => {
  const { bavail, bsize } = await statfs(tmpdir())
  expect(bavail * bsize, `bytes that are free in ${tmpdir()}`).toBeGreaterThanOrEqual(neededBytes)
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-upload-'))
  stage = await startBrowserStage()
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  if (directory !== undefined) await rm(directory, { recursive: true, force: true })
})

test('C8: a large file is uploaded completely from the browser, and neither browser nor server grow by more than 250 MB', async () => {
  const file = path.join(directory, 'large.bin')
  const sha256 = await writeRandom(file, fileBytes)
  const page = await stage.open('/threads/new')
  await messageField(page).waitFor()
  await send(page, '/run true')
  await page
    .getByRole('region', { name: /^Command true/ })
    .getByText('exit 0')
    .waitFor()
  const memory = watchMemory({ browser: await chromiumPids(), server: [stage.installation.server.pid()] })
  await page.locator('input[type=file]').setInputFiles(file)
  const chip = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')
  await expect.poll(() => chip.getAttribute('data-status'), { timeout: 240_000, interval: 250 }).toBe('done')
  const growth = await memory.stop()
  console.log(
    `${fileMegabytes} MB upload: browser +${(growth.browser / 1e6).toFixed(0)} MB, server +${(growth.server / 1e6).toFixed(0)} MB`,
  )
  await send(page, '/run sha256sum ~/uploads/large.bin')
  const command = page.getByRole('region', { name: /^Command sha256sum/ })
  await command.getByText('exit 0').waitFor({ timeout: 120_000 })
  await command.getByRole('button', { name: /sha256sum/ }).click()
  await command.getByText(sha256).waitFor()
  expect(growth.browser).toBeLessThan(maxGrowthBytes)
  expect(growth.server).toBeLessThan(maxGrowthBytes)
  await closePage(page)
}, 500_000)

async function writeRandom(file: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256')
  await using handle = await open(file, 'w')
  for (let written = 0; written < sizeBytes; ) {
    const piece = randomBytes(Math.min(8e6, sizeBytes - written))
    hash.update(piece)
    await handle.write(piece)
    written += piece.length
  }
  return hash.digest('hex')
}

/** Every process of Chromium below this one. */
async function chromiumPids(): Promise<number[]> {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
        const [, program = '', parent = ''] = /\((.*)\) \S (\d+)/.exec(stat) ?? []
        return { pid: Number(name), program, parent: Number(parent) }
      }),
  )
  const below = new Set([process.pid])
  for (let before = 0; before !== below.size; ) {
    before = below.size
    for (const entry of all) if (below.has(entry.parent)) below.add(entry.pid)
  }
  return all.filter(({ pid, program }) => below.has(pid) && program.startsWith('chrom')).map(({ pid }) => pid)
}

/** Peak memory of each group of processes above its starting value. */
function watchMemory<Name extends string>(groups: Record<Name, readonly number[]>) {
  const names = Object.keys(groups) as Name[]
  const first = new Map<Name, number>()
  const highest = new Map<Name, number>()
  let hasEnded = false
  const watching = (async () => {
    while (!hasEnded) {
      for (const name of names) {
        const sizes = await Promise.all(groups[name].map(pssBytes))
        const size = sizes.reduce((sum, one) => sum + one, 0)
        if (!first.has(name)) first.set(name, size)
        highest.set(name, Math.max(size, highest.get(name) ?? 0))
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  return {
    stop: async () => {
      hasEnded = true
      await watching
      return Object.fromEntries(
        names.map((name) => [name, (highest.get(name) ?? 0) - (first.get(name) ?? 0)]),
      ) as Record<Name, number>
    },
  }
}

async function pssBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
}
