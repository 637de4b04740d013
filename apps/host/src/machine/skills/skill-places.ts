import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, readdir, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type PlaceSkills, type SkillFile, unpackSkill } from '@threadbox/protocol/host'
import { skillPackageInvalid } from './skills.errors.ts'

/**
 * What sandboxes see at `/skills`. Each has its own directory, mounted read-only: root inside cannot change it. A skill
 * is a symbolic link `name` to `.versions/<digest>`, and a version that a boot has seen stays there until its next new
 * boot: a program that holds a file of it open, or works in its folder, keeps running, and memory that knows such a
 * file can be restored, which fails if the file is gone. The files are hard links to one copy for all sandboxes.
 */
export type SkillPlaces = {
  /** Removes copies that no sandbox has; a server that needs one sends it again. */
  prepare(): Promise<void>
  /** Throws `skill.package-invalid`. The same package again changes nothing. */
  store(digest: string, bytes: Uint8Array): Promise<void>
  /** Replaces what is in the directory, each skill in one step. If a package is missing, nothing is changed. */
  place(directory: string, skills: PlaceSkills['skills']): Promise<{ missing: string[] }>
}

const versionsName = '.versions'
/** Versions that a boot has seen and that are no longer needed. Only changing skills in a loop exceeds this. */
const maxOldVersions = 100
/** A copy is stored before it is placed: one that is unplaced for this long is not about to be placed. */
const unplacedMs = 10 * 60_000

export function makeSkillPlaces(options: { directory: string; clock: () => number }): SkillPlaces {
  const { directory: copies, clock } = options
  const copyOf = (digest: string) => path.join(copies, digest)
  return {
    prepare: async () => {
      await rm(copies, { recursive: true, force: true })
      await mkdir(copies, { recursive: true, mode: 0o700 })
    },
    store: async (digest, bytes) => {
      const files = createHash('sha256').update(bytes).digest('hex') === digest ? unpackSkill(bytes) : undefined
      if (files === undefined) throw skillPackageInvalid({ digest })
      await removeUnplaced(copies, clock())
      if (await exists(copyOf(digest))) return
      await inOneStep(copyOf(digest), (draft) => writeFiles(draft, files))
    },
    place: async (directory, skills) => {
      const versions = path.join(directory, versionsName)
      await mkdir(versions, { recursive: true })
      const missing: string[] = []
      for (const digest of new Set(skills.map((skill) => skill.digest))) {
        if (await exists(path.join(versions, digest))) continue
        if (!(await exists(copyOf(digest)))) missing.push(digest)
        else await inOneStep(path.join(versions, digest), (draft) => linkFiles(copyOf(digest), draft))
      }
      if (missing.length > 0) return { missing }
      await pointTo(directory, new Map(skills.map(({ name, digest }) => [name, `${versionsName}/${digest}`])))
      await removeOld(versions, new Set(skills.map(({ digest }) => digest)))
      return { missing: [] }
    },
  }
}

async function pointTo(directory: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name !== versionsName && !wanted.has(name)) await rm(path.join(directory, name), { recursive: true })
  }
  for (const [name, target] of wanted) {
    const place = path.join(directory, name)
    if ((await readlink(place).catch(() => undefined)) === target) continue
    const draft = path.join(directory, `.new-${randomBytes(6).toString('hex')}`)
    await symlink(target, draft)
    await rename(draft, place)
  }
}

async function removeOld(versions: string, wanted: ReadonlySet<string>): Promise<void> {
  const old = (await readdir(versions)).filter((name) => !wanted.has(name))
  if (old.length <= maxOldVersions) return
  const aged = await Promise.all(
    old.map(async (name) => ({ name, at: (await stat(path.join(versions, name))).ctimeMs })),
  )
  for (const { name } of aged.toSorted((one, other) => one.at - other.at).slice(0, old.length - maxOldVersions)) {
    await rm(path.join(versions, name), { recursive: true })
  }
}

/** A copy whose files have no other name is in no sandbox. */
async function removeUnplaced(copies: string, now: number): Promise<void> {
  for (const name of await readdir(copies)) {
    const folder = path.join(copies, name)
    const first = await stat(path.join(folder, 'SKILL.md')).catch(() => undefined)
    const { ctimeMs } = await stat(folder)
    if ((first?.nlink ?? 1) === 1 && now - ctimeMs > unplacedMs) await rm(folder, { recursive: true, force: true })
  }
}

/** What a crash leaves half done has another name, and is removed with its directory. */
async function inOneStep(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = path.join(path.dirname(target), `.new-${randomBytes(6).toString('hex')}`)
  await mkdir(draft)
  try {
    await make(draft)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another caller made the same in the meantime.
    if (!(await exists(target))) throw error
  }
}

async function writeFiles(directory: string, files: readonly SkillFile[]): Promise<void> {
  for (const file of files) {
    const target = path.join(directory, file.path)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, file.content, { mode: file.isExecutable ? 0o755 : 0o644, flag: 'wx', flush: true })
  }
}

async function linkFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (!entry.isDirectory()) await link(source, target)
    else {
      await mkdir(target)
      await linkFiles(source, target)
    }
  }
}

async function exists(place: string): Promise<boolean> {
  return (await stat(place).catch(() => undefined)) !== undefined
}
