import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type SkillFile, skillLimits } from '@threadbox/protocol/host'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import {
  skillArchiveInvalid,
  skillLinkRefused,
  skillPathUnsafe,
  skillTooLarge,
  skillTooManyFiles,
} from './skills.errors.ts'

const madeOnUnix = 3
const typeOfMode = { mask: 0xf000, file: 0x8000, directory: 0x4000 }

type ZipEntry = { name: string; mode: number; entry: Entry }

/**
 * Reads the files of an uploaded zip. The sizes in its directory are added up before anything is unpacked, and nothing
 * is unpacked beyond them, so that no archive can exceed a skill's limits. Throws `skill.archive-invalid`,
 * `skill.too-large`, `skill.too-many-files`, `skill.link-refused`, `skill.path-unsafe`.
 */
export async function readZip(bytes: Uint8Array): Promise<SkillFile[]> {
  const zip = await openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const entries = await readDirectory(zip)
  if (entries.reduce((total, { entry }) => total + entry.uncompressedSize, 0) > skillLimits.bytes) {
    throw skillTooLarge({ limitBytes: skillLimits.bytes })
  }
  const files: SkillFile[] = []
  for (const { name, mode, entry } of entries) {
    if (name.endsWith('/')) continue
    files.push({ path: name, isExecutable: (mode & 0o111) !== 0, content: await unpack(zip, entry) })
  }
  return files
}

/** Opens the zip with names as raw bytes, because their encoding is checked in `nameOf`. */
async function openZip(view: Buffer): Promise<ZipFile> {
  return await fromBufferPromise(view, { decodeStrings: false, validateEntrySizes: true }).catch((error: unknown) => {
    throw skillArchiveInvalid({ problem: 'it is not a zip file, or it is truncated.' }, { cause: error })
  })
}

async function readDirectory(zip: ZipFile): Promise<ZipEntry[]> {
  // Folders are entries too, hence twice the limit.
  if (zip.entryCount > 2 * skillLimits.files) throw skillTooManyFiles({ limit: skillLimits.files })
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (error) {
    throw damaged(error)
  }
  return entries.map(checked)
}

function checked(entry: Entry): ZipEntry {
  const name = nameOf(entry.fileNameRaw)
  if (entry.isEncrypted()) throw skillArchiveInvalid({ problem: 'it is password-protected.' })
  if (!entry.canDecodeFileData())
    throw skillArchiveInvalid({ problem: `${name} uses an unsupported compression method.` })
  const mode = entry.versionMadeBy >>> 8 === madeOnUnix ? entry.externalFileAttributes >>> 16 : 0
  const type = mode & typeOfMode.mask
  const isPlain = type === 0 || type === typeOfMode.file || (type === typeOfMode.directory && name.endsWith('/'))
  if (!isPlain) throw skillLinkRefused({ path: name })
  return { name, mode, entry }
}

/** Names appear in messages and paths: a name that isn't valid text or leads out of the folder is rejected here. */
function nameOf(bytes: Buffer): string {
  let name: string
  try {
    name = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw skillArchiveInvalid({ problem: 'it contains names that aren’t valid UTF-8.' }, { cause: error })
  }
  const isOutside = name.startsWith('/') || name.split(/[/\\]/).includes('..') || /[\p{Cc}\u2028\u2029]/u.test(name)
  if (isOutside) throw skillPathUnsafe({ path: name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '�').slice(0, 200) })
  return name
}

async function unpack(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  let content: Buffer
  try {
    content = await buffer(await zip.openReadStreamPromise(entry))
  } catch (error) {
    throw skillArchiveInvalid({ problem: 'its contents don’t match its directory.' }, { cause: error })
  }
  if (crc32(content) !== entry.crc32) throw damaged()
  return content
}

function damaged(cause?: unknown) {
  return skillArchiveInvalid({ problem: 'it is damaged.' }, { cause })
}
