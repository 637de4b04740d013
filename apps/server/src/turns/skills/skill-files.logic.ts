import { clashingPath, isSkillPath, type SkillFile, skillLimits } from '@threadbox/protocol/host'
import { readHeader, type SkillHeader } from './front-matter.logic.ts'
import {
  skillFileMissing,
  skillFolderDiffers,
  skillFrontMatterInvalid,
  skillPathUnsafe,
  skillTooLarge,
  skillTooManyFiles,
} from './skills.errors.ts'

/** A valid skill: its front matter, and its files with paths relative to its folder. */
export type CheckedSkill = SkillHeader & { text: string; files: SkillFile[] }

/** Files that programs leave in folders and archives. */
const leftBehind = /(?:^|\/)(?:__MACOSX|\.git|\.DS_Store|Thumbs\.db)(?:\/|$)/

/**
 * Checks uploaded files as a skill; nothing about them was checked before. They can be with or without the skill's
 * folder; `folder` is its name if that is known otherwise.
 */
export function checkSkill(given: readonly SkillFile[], folder?: string): CheckedSkill {
  const kept = given.filter(({ path }) => !leftBehind.test(path))
  const unsafe = kept.find(({ path }) => !isSkillPath(path))?.path ?? clashingPath(kept.map(({ path }) => path))
  if (unsafe !== undefined) throw skillPathUnsafe({ path: printable(unsafe) })
  if (kept.length > skillLimits.files) throw skillTooManyFiles({ limit: skillLimits.files })
  const sizeBytes = kept.reduce((total, { content }) => total + content.byteLength, 0)
  if (sizeBytes > skillLimits.bytes) throw skillTooLarge({ limitBytes: skillLimits.bytes })
  const below = withoutTopFolders({ files: kept, folder })
  const main = below.files.find(({ path }) => path === 'SKILL.md')
  if (main === undefined) throw skillFileMissing({})
  const text = textOf(main.content)
  const header = readHeader(text)
  if (below.folder !== undefined && below.folder !== header.name) {
    throw skillFolderDiffers({ folder: below.folder, name: header.name })
  }
  return { ...header, text, files: below.files.map(asRunnable) }
}

type FlattenedSkill = { files: SkillFile[]; folder: string | undefined }

/** Removes folders that contain all files from the paths. */
function withoutTopFolders({ files, folder }: FlattenedSkill): FlattenedSkill {
  const [first] = files.map(({ path }) => path.slice(0, path.indexOf('/') + 1))
  const isInside = first !== undefined && first !== '' && files.every(({ path }) => path.startsWith(first))
  if (!isInside) return { files, folder }
  const inside = files.map((file) => ({ ...file, path: file.path.slice(first.length) }))
  return withoutTopFolders({ files: inside, folder: first.slice(0, -1) })
}

/** Browsers and many archives don't preserve the executable bit, so files with a shebang get it. */
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
