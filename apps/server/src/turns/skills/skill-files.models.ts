import { clashingPath, isSkillPath, type SkillFile, skillLimits } from '@threadbox/protocol/host'
import { readHeader, type SkillHeader } from './front-matter.models.ts'
import {
  skillFileMissing,
  skillFolderDiffers,
  skillFrontMatterInvalid,
  skillPathUnsafe,
  skillTooLarge,
  skillTooManyFiles,
} from './skills.errors.ts'

/** A skill that keeps to the format: what it says of itself, and its files below its folder. */
export type CheckedSkill = SkillHeader & { text: string; files: SkillFile[] }

/** What programs leave in folders and archives beside what people put there. */
const leftBehind = /(?:^|\/)(?:__MACOSX|\.git|\.DS_Store|Thumbs\.db)(?:\/|$)/

/**
 * Checks what somebody sent as a skill: everything about it is the sender's word until here. They may have sent the
 * folder or what is in it; `folder` is its name where that is known otherwise.
 */
export function checkSkill(given: readonly SkillFile[], folder?: string): CheckedSkill {
  const kept = given.filter(({ path }) => !leftBehind.test(path))
  const unsafe = kept.find(({ path }) => !isSkillPath(path))?.path ?? clashingPath(kept.map(({ path }) => path))
  if (unsafe !== undefined) throw skillPathUnsafe({ path: printable(unsafe) })
  if (kept.length > skillLimits.files) throw skillTooManyFiles({ limit: skillLimits.files })
  const sizeBytes = kept.reduce((total, { content }) => total + content.byteLength, 0)
  if (sizeBytes > skillLimits.bytes) throw skillTooLarge({ limitBytes: skillLimits.bytes })
  const below = belowFolder({ files: kept, folder })
  const main = below.files.find(({ path }) => path === 'SKILL.md')
  if (main === undefined) throw skillFileMissing({})
  const text = textOf(main.content)
  const header = readHeader(text)
  if (below.folder !== undefined && below.folder !== header.name) {
    throw skillFolderDiffers({ folder: below.folder, name: header.name })
  }
  return { ...header, text, files: below.files.map(asRunnable) }
}

type Below = { files: SkillFile[]; folder: string | undefined }

/** Without the folders that hold everything. */
function belowFolder({ files, folder }: Below): Below {
  const [first] = files.map(({ path }) => path.slice(0, path.indexOf('/') + 1))
  const isInside = first !== undefined && first !== '' && files.every(({ path }) => path.startsWith(first))
  if (!isInside) return { files, folder }
  const inside = files.map((file) => ({ ...file, path: file.path.slice(first.length) }))
  return belowFolder({ files: inside, folder: first.slice(0, -1) })
}

/** Browsers and many archives do not say what may be run; a script says it itself. */
function asRunnable(file: SkillFile): SkillFile {
  return { ...file, isExecutable: file.isExecutable || (file.content[0] === 0x23 && file.content[1] === 0x21) }
}

function textOf(content: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    if (!text.includes('\0')) return text
  } catch (error) {
    throw skillFrontMatterInvalid({ problem: 'it is not valid UTF-8.' }, { cause: error })
  }
  throw skillFrontMatterInvalid({ problem: 'it contains a NUL character.' })
}

function printable(path: string): string {
  return path
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '�')
    .slice(0, 200)
}
