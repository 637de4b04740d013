import { type SkillFile, skillLimits } from '@threadbox/protocol/host'
import { type CheckedSkill, checkSkill } from './skill-files.logic.ts'
import { skillArchiveInvalid, skillTooLarge, skillTooManyFiles, skillTypeUnsupported } from './skills.errors.ts'
import { readZip } from './zip-reader.ts'

type Body = ReadableStream<Uint8Array> | null

/**
 * Reads a skill from the body of a request: a zip, a form with each file under its path, or a single `SKILL.md`. The
 * last replaces that file among the skill's `present` files; the others replace all files.
 */
export async function parseSkillUpload(
  body: Body,
  contentType: string,
  present: readonly SkillFile[] = [],
): Promise<CheckedSkill> {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const read = readers[mediaType]
  if (read === undefined) throw skillTypeUnsupported({ mediaType: mediaType.slice(0, 100) })
  const files = await read(await readBounded(body), contentType)
  return checkSkill(
    mediaType === markdownType ? [...present.filter(({ path }) => path !== 'SKILL.md'), ...files] : files,
  )
}

/** Reads a skill from a folder of a sandbox, which arrives as a zip. */
export async function parseSkillFolder(zip: Body, folder: string): Promise<CheckedSkill> {
  return checkSkill(await readZip(await readBounded(zip)), folder)
}

const markdownType = 'text/markdown'

const readMarkdown = async (content: Uint8Array): Promise<SkillFile[]> => [
  { path: 'SKILL.md', isExecutable: false, content },
]

const readers: Record<string, (bytes: Uint8Array<ArrayBuffer>, contentType: string) => Promise<SkillFile[]>> = {
  'application/zip': readZip,
  'application/x-zip-compressed': readZip,
  [markdownType]: readMarkdown,
  'multipart/form-data': readForm,
}

async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<SkillFile[]> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } })
    .formData()
    .catch((error: unknown) => {
      throw skillArchiveInvalid({ problem: 'the form data is malformed.' }, { cause: error })
    })
  const files: SkillFile[] = []
  for (const [path, value] of form) {
    if (files.length > skillLimits.files) throw skillTooManyFiles({ limit: skillLimits.files })
    const content =
      typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(await value.arrayBuffer())
    files.push({ path, isExecutable: false, content })
  }
  return files
}

async function readBounded(body: Body): Promise<Uint8Array<ArrayBuffer>> {
  // A form adds a few hundred bytes for each of its files.
  const limit = skillLimits.bytes + skillLimits.files * 1024
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const part of body ?? []) {
    sizeBytes += part.byteLength
    if (sizeBytes > limit) throw skillTooLarge({ limitBytes: skillLimits.bytes })
    parts.push(part)
  }
  const bytes = new Uint8Array(sizeBytes)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}
