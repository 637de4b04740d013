import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { type SkillFile, skillLimits } from '@threadbox/protocol/host'
import {
  skillArchiveInvalid,
  skillLinkRefused,
  skillPathUnsafe,
  skillTooLarge,
  skillTooManyFiles,
} from './skills.errors.ts'

const inflate = promisify(inflateRaw)

const endMark = 0x06054b50
const endBytes = 22
const maxCommentBytes = 0xffff
const entryMark = 0x02014b50
const entryBytes = 46
const localMark = 0x04034b50
const localBytes = 30
const encryptedFlag = 0x0001
const madeOnUnix = 3
const typeOfMode = { mask: 0xf000, file: 0x8000, directory: 0x4000 }

type ZipEntry = {
  name: string
  mode: number
  isDeflated: boolean
  checksum: number
  packedBytes: number
  sizeBytes: number
  offset: number
}

/**
 * The files of a zip that somebody sent. The sizes that its directory states are added up before anything is unpacked,
 * and nothing is unpacked beyond them: however small an archive is, it never becomes more than a skill may be. Throws
 * `skill.archive-invalid`, `skill.too-large`, `skill.too-many-files`, `skill.link-refused`, `skill.path-unsafe`.
 */
export async function readZip(bytes: Uint8Array): Promise<SkillFile[]> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readDirectory(view)
  if (entries.reduce((total, { sizeBytes }) => total + sizeBytes, 0) > skillLimits.bytes) {
    throw skillTooLarge({ limitBytes: skillLimits.bytes })
  }
  const files: SkillFile[] = []
  for (const entry of entries) {
    if (entry.name.endsWith('/')) continue
    const content = await unpack(view, entry)
    files.push({ path: entry.name, isExecutable: (entry.mode & 0o111) !== 0, content })
  }
  return files
}

function readDirectory(view: Buffer): ZipEntry[] {
  const end = findEnd(view)
  const count = view.readUInt16LE(end + 10)
  const offset = view.readUInt32LE(end + 16)
  if (count === 0xffff || offset === 0xffffffff) throw skillTooLarge({ limitBytes: skillLimits.bytes })
  if (view.readUInt16LE(end + 4) !== 0 || view.readUInt16LE(end + 8) !== count) {
    throw skillArchiveInvalid({ problem: 'it is one part of several.' })
  }
  // Folders are entries too.
  if (count > 2 * skillLimits.files) throw skillTooManyFiles({ limit: skillLimits.files })
  const entries: ZipEntry[] = []
  for (let at = offset; entries.length < count; ) {
    if (at + entryBytes > end || view.readUInt32LE(at) !== entryMark) throw damaged()
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => view.readUInt16LE(at + field))
    entries.push(readEntry(view, at, nameBytes ?? 0))
    at += entryBytes + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return entries
}

function findEnd(view: Buffer): number {
  const lowest = Math.max(0, view.length - endBytes - maxCommentBytes)
  for (let at = view.length - endBytes; at >= lowest; at -= 1) {
    if (view.readUInt32LE(at) === endMark && at + endBytes + view.readUInt16LE(at + 20) === view.length) return at
  }
  throw skillArchiveInvalid({ problem: 'it is not a zip, or its end is missing.' })
}

function readEntry(view: Buffer, at: number, nameBytes: number): ZipEntry {
  const name = nameOf(view.subarray(at + entryBytes, at + entryBytes + nameBytes))
  if ((view.readUInt16LE(at + 8) & encryptedFlag) !== 0) throw skillArchiveInvalid({ problem: 'it has a password.' })
  const method = view.readUInt16LE(at + 10)
  if (method !== 0 && method !== 8) throw skillArchiveInvalid({ problem: `${name} is packed in an unusual way.` })
  const mode = view[at + 5] === madeOnUnix ? view.readUInt16LE(at + 40) : 0
  const type = mode & typeOfMode.mask
  const isPlain = type === 0 || type === typeOfMode.file || (type === typeOfMode.directory && name.endsWith('/'))
  if (!isPlain) throw skillLinkRefused({ path: name })
  const [checksum = 0, packedBytes = 0, sizeBytes = 0] = [16, 20, 24].map((field) => view.readUInt32LE(at + field))
  return { name, mode, isDeflated: method === 8, checksum, packedBytes, sizeBytes, offset: view.readUInt32LE(at + 42) }
}

/** Names go into messages and paths: those that are no text, or lead out of the folder, are refused here already. */
function nameOf(bytes: Buffer): string {
  let name: string
  try {
    name = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw skillArchiveInvalid({ problem: 'it has names that are not in UTF-8.' }, { cause: error })
  }
  const isOutside = name.startsWith('/') || name.split(/[/\\]/).includes('..') || /[\p{Cc}\u2028\u2029]/u.test(name)
  if (isOutside) throw skillPathUnsafe({ path: name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '�').slice(0, 200) })
  return name
}

async function unpack(view: Buffer, entry: ZipEntry): Promise<Uint8Array> {
  const { offset, sizeBytes, packedBytes } = entry
  if (offset + localBytes > view.length || view.readUInt32LE(offset) !== localMark) throw damaged()
  const start = offset + localBytes + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28)
  const packed = view.subarray(start, start + packedBytes)
  if (packed.length !== packedBytes) throw damaged()
  const content = entry.isDeflated ? await unpackAtMost(packed, sizeBytes) : packed
  if (content.length !== sizeBytes || crc32(content) !== entry.checksum) throw damaged()
  return content
}

async function unpackAtMost(packed: Buffer, sizeBytes: number): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(1, sizeBytes) })
  } catch (error) {
    throw skillArchiveInvalid({ problem: 'what is in it is not what its directory says.' }, { cause: error })
  }
}

function damaged() {
  return skillArchiveInvalid({ problem: 'it is damaged.' })
}
