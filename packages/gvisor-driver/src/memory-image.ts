import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { MemoryImageProblem } from '@threadbox/sandbox-driver'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'
import type { RunscVersions } from './runsc-versions.ts'
import { type SandboxIds, sandboxIds } from './shifted-ids.ts'

/**
 * The description beside an image in its directory: everything that decides whether runsc can read it again. runsc
 * checks its own version too, but fails only after half the work, and reports less about a truncated file.
 */
export const descriptionSchema = z.object({
  format: z.literal(1),
  driver: z.literal('gvisor'),
  version: z.string(),
  /** Processor features that the saved programs may have chosen to use. */
  cpuFeatures: z.array(z.string()),
  /** Images of earlier releases have none: they hold the machine’s. */
  ids: z.enum(sandboxIds).default('machine'),
  files: z.record(z.string(), z.number().int()),
})
type Description = z.infer<typeof descriptionSchema>

const descriptionName = 'image.json'

export type ImageJudgement =
  /** `runscPath`: the program that can read it; `ids`: those that it was saved with. */
  { runscPath: string; ids: SandboxIds } | { problem: MemoryImageProblem; detail: string }

/** Creates a directory, lets `save` fill it, and describes what it wrote. If it throws, the directory is removed. */
export async function writeImage(options: {
  directory: string
  version: string
  cpuFeatures: readonly string[]
  ids: SandboxIds
  save: () => Promise<void>
}): Promise<{ bytes: number }> {
  const { directory, version, cpuFeatures, ids, save } = options
  await mkdir(directory, { mode: 0o700 })
  try {
    await save()
    const files = await fileSizes(directory)
    const description: Description = {
      format: 1,
      driver: 'gvisor',
      version,
      cpuFeatures: [...cpuFeatures],
      ids,
      files,
    }
    await writeFile(path.join(directory, descriptionName), JSON.stringify(description), { mode: 0o600 })
    return { bytes: Object.values(files).reduce((sum, size) => sum + size, 0) }
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

/** Whether this host can use the image, as far as that can be determined without trying. */
export async function judgeImage(options: {
  directory: string
  runscs: RunscVersions
  cpuFeatures: readonly string[]
}): Promise<ImageJudgement> {
  const { directory, runscs } = options
  const text = await readFile(path.join(directory, descriptionName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { problem: 'missing', detail: 'The image doesn’t exist or is incomplete.' }
  const parsed = descriptionSchema.safeParse(parseJson(text))
  if (!parsed.success) return { problem: 'corrupt', detail: 'The image’s metadata can’t be read.' }
  const { version, cpuFeatures, ids, files } = parsed.data
  const runscPath = await runscs.find(version)
  if (runscPath === undefined) {
    return { problem: 'other-version', detail: `It was saved by runsc ${version}, which isn’t on this host.` }
  }
  const missing = cpuFeatures.filter((feature) => !options.cpuFeatures.includes(feature))
  if (missing.length > 0) {
    return { problem: 'cpu-features', detail: `This processor lacks ${missing.slice(0, 8).join(', ')}.` }
  }
  const actual = await fileSizes(directory)
  for (const [name, size] of Object.entries(files)) {
    const now = actual[name]
    if (now === size) continue
    const state = now === undefined ? 'is missing' : `has ${now} bytes`
    return { problem: now === undefined ? 'missing' : 'corrupt', detail: `${name} ${state}; ${size} were saved.` }
  }
  return { runscPath, ids }
}

async function fileSizes(directory: string): Promise<Record<string, number>> {
  const names = (await readdir(directory)).filter((name) => name !== descriptionName)
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(directory, name))).size))
  return Object.fromEntries(names.map((name, index) => [name, sizes[index] ?? 0]))
}
