import { open, readFile, rename } from 'node:fs/promises'
import { z } from 'zod'

/**
 * What the machine remembers of what it stored, because it can’t read its own backups. Without it, a backup is as large as the
 * first one, and nothing else is lost.
 */
const schema = z.object({
  format: z.literal(1),
  packs: z.array(
    z.object({
      object: z.string(),
      sizeBytes: z.number(),
      chunks: z.array(z.tuple([z.string(), z.number()])),
    }),
  ),
  /** By path: the version of the content, its size, and the hashes of its chunks. */
  files: z.record(z.string(), z.tuple([z.string(), z.number(), z.array(z.string())])),
})

export type Catalog = z.infer<typeof schema>

export const emptyCatalog = (): Catalog => ({ format: 1, packs: [], files: {} })

export async function readCatalog(path: string): Promise<Catalog> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // Missing, or damaged: then everything is stored again.
    return emptyCatalog()
  }
}

export async function writeCatalog(path: string, catalog: Catalog): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(catalog))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}
