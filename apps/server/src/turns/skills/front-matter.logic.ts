import { skillNamePattern } from '@threadbox/protocol/host'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { skillDescriptionInvalid, skillFrontMatterInvalid, skillNameInvalid } from './skills.errors.ts'

/** The front matter of a `SKILL.md`. */
export type SkillHeader = { name: string; description: string; license: string | null; compatibility: string | null }

const maxDescriptionCharacters = 1024
/** Where the front matter must have ended. The format's longest fields take a tenth of this together. */
const maxHeaderCharacters = 16_384

/** Other fields are for other clients and are ignored. */
const headerSchema = z.looseObject({
  name: z.string('name must be a string'),
  description: z.string('description must be a string'),
  license: z.string('license must be a string').max(1024, 'license has more than 1024 characters').nullish(),
  compatibility: z
    .string('compatibility must be a string')
    .max(500, 'compatibility has more than 500 characters')
    .nullish(),
  metadata: z.record(z.string(), z.unknown(), 'metadata must be a map of names to values').nullish(),
  'allowed-tools': z
    .union([z.string(), z.array(z.string())], 'allowed-tools must be a string or a list of strings')
    .nullish(),
})

/** Throws `skill.front-matter-invalid`, `skill.name-invalid`, `skill.description-invalid`. */
export function readHeader(text: string): SkillHeader {
  const parsed = headerSchema.safeParse(readYaml(frontMatterOf(text)))
  if (!parsed.success) throw skillFrontMatterInvalid({ problem: `${parsed.error.issues[0]?.message ?? 'unknown'}.` })
  const { name, license, compatibility } = parsed.data
  const description = parsed.data.description.trim()
  if (!skillNamePattern.test(name)) throw skillNameInvalid({ name: name.slice(0, 100) })
  if (description === '' || description.length > maxDescriptionCharacters) {
    throw skillDescriptionInvalid({ characters: description.length })
  }
  return { name, description, license: textOf(license), compatibility: textOf(compatibility) }
}

function frontMatterOf(text: string): string {
  const start = /^\uFEFF?---[ \t]*\r?\n/.exec(text)?.[0]
  if (start === undefined) throw skillFrontMatterInvalid({ problem: 'its first line is not `---`.' })
  const rest = text.slice(start.length, start.length + maxHeaderCharacters)
  const end = /(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(rest)
  if (end === null) throw skillFrontMatterInvalid({ problem: 'it does not end with a line of `---`.' })
  return rest.slice(0, end.index)
}

function readYaml(source: string): unknown {
  try {
    const document = parseDocument(source, { schema: 'core', logLevel: 'silent', prettyErrors: true })
    const [error] = document.errors
    if (error !== undefined) throw error
    // An alias could create a thousand copies of its target; a header needs none.
    return document.toJS({ maxAliasCount: 0 }) ?? {}
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw skillFrontMatterInvalid({ problem: problem.slice(0, 300) }, { cause: error })
  }
}

function textOf(value: string | null | undefined): string | null {
  const text = value?.trim() ?? ''
  return text === '' ? null : text
}
