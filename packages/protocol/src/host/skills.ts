import { z } from 'zod'

/** As in the open Agent Skills format: also the name of the folder at `/skills`. */
export const skillNamePattern = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Limits of an unpacked skill. Well above published skills, the largest of which have some megabytes. */
export const skillLimits = { files: 1000, bytes: 16 * 1024 * 1024, pathCharacters: 240, pathDepth: 12 } as const

/** SHA-256 of a package ({@link packSkill}): skills with the same content have the same digest. */
const skillDigestSchema = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * `PUT /v1/sandboxes/{sandboxId}/skills`: what the boot sees at `/skills` from now on, read-only. The response names
 * packages that the host does not have ({@link placedSkillsSchema}), and then nothing is changed: send them (`PUT
 * /v1/skills/{digest}`, the package as it is) and repeat the order.
 */
export const placeSkillsSchema = z.object({
  bootId: z.string(),
  skills: z.array(z.object({ name: z.string().regex(skillNamePattern), digest: skillDigestSchema })).max(500),
})
export type PlaceSkills = z.infer<typeof placeSkillsSchema>

export const placedSkillsSchema = z.object({ missing: z.array(skillDigestSchema) })
export type PlacedSkills = z.infer<typeof placedSkillsSchema>

export type SkillFile = { path: string; isExecutable: boolean; content: Uint8Array }

const packageIndexSchema = z.object({
  version: z.literal(1),
  files: z
    .array(
      z.object({
        path: z.string().refine(isSkillPath),
        isExecutable: z.boolean(),
        sizeBytes: z.number().int().min(0).max(skillLimits.bytes),
      }),
    )
    .min(1)
    .max(skillLimits.files),
})

/**
 * A path below the folder of a skill that means the same everywhere: relative, forward slashes, no `.` or `..`,
 * printable characters only.
 */
export function isSkillPath(path: string): boolean {
  const parts = path.split('/')
  if (path.length > skillLimits.pathCharacters || parts.length > skillLimits.pathDepth) return false
  if (/[\p{Cc}\p{Cs}\u2028\u2029\\]/u.test(path)) return false
  return parts.every((part) => part !== '' && part !== '.' && part !== '..')
}

/**
 * The files of a skill as bytes: an index in one line of JSON, then their contents. The same files give the same bytes.
 */
export function packSkill(files: readonly SkillFile[]): Uint8Array<ArrayBuffer> {
  const sorted = files.toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const index = {
    version: 1,
    files: sorted.map(({ path, isExecutable, content }) => ({ path, isExecutable, sizeBytes: content.byteLength })),
  }
  const head = new TextEncoder().encode(`${JSON.stringify(index)}\n`)
  const bytes = new Uint8Array(sorted.reduce((total, file) => total + file.content.byteLength, head.byteLength))
  bytes.set(head)
  let offset = head.byteLength
  for (const { content } of sorted) {
    bytes.set(content, offset)
    offset += content.byteLength
  }
  return bytes
}

/** Returns undefined unless the bytes are a complete package with safe paths only, each once. */
export function unpackSkill(bytes: Uint8Array): SkillFile[] | undefined {
  const end = bytes.indexOf(0x0a)
  const index = packageIndexSchema.safeParse(parseJson(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end)))))
  if (end === -1 || !index.success) return undefined
  const { files } = index.data
  const sizeBytes = files.reduce((total, file) => total + file.sizeBytes, 0)
  if (sizeBytes > skillLimits.bytes || end + 1 + sizeBytes !== bytes.byteLength) return undefined
  if (clashingPath(files.map(({ path }) => path)) !== undefined) return undefined
  let offset = end + 1
  return files.map(({ path, isExecutable, sizeBytes: size }) => {
    const content = bytes.subarray(offset, offset + size)
    offset += size
    return { path, isExecutable, content }
  })
}

/** The first path that occurs twice, or is both a file and the folder of another one. */
export function clashingPath(paths: readonly string[]): string | undefined {
  const folders = new Set(paths.flatMap((path) => path.split('/').map((_, at, all) => all.slice(0, at).join('/'))))
  const seen = new Set<string>()
  return paths.find((path) => {
    if (seen.has(path) || folders.has(path)) return true
    seen.add(path)
    return false
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
