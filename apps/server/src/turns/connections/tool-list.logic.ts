import { createHash } from 'node:crypto'
import type { ToolApproval } from '@threadbox/protocol/public'
import { type InputSchema, SchemaProblem, usableSchema } from './tool-schema.logic.ts'
import { visibleText } from './visible-text.logic.ts'

/** A tool as its server listed it, cut to what is stored. */
export type ListedTool = {
  name: string
  title: string | null
  description: string
  claims: { isReadOnly: boolean | null; isDestructive: boolean | null }
  schema: InputSchema | null
  problem: string | null
  /** A hash of everything that the server said about the tool, including what was cut. */
  fingerprint: string
}

/** A tool as stored: `isListed` is false for one that the server no longer lists. */
export type KnownTool = ListedTool & { approval: ToolApproval; isChanged: boolean; isListed: boolean }

/** A server's description of a tool, unchecked. */
export type RawTool = {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema?: unknown
  annotations?: Record<string, unknown> | undefined
}

/** Limit of tools per connection: providers accept 128 tools overall. */
export const maxTools = 100
const maxDescriptionCharacters = 4000
const maxNameCharacters = 128

/** Parses a server's list. Of several tools with one name, the first counts. */
export function listedTools(
  raw: readonly RawTool[],
  redact: (text: string) => string,
): {
  tools: ListedTool[]
  furtherTools: number
} {
  const seen = new Set<string>()
  const unique = raw.filter(({ name }) => !seen.has(name) && seen.add(name))
  const fitting = unique.filter(({ name }) => name.length <= maxNameCharacters && /^\P{C}+$/u.test(name))
  const tools = fitting.slice(0, maxTools).map((tool) => listedTool(tool, redact))
  return { tools, furtherTools: unique.length - tools.length }
}

function listedTool(raw: RawTool, redact: (text: string) => string): ListedTool {
  const { schema, problem } = schemaOf(raw.inputSchema)
  const claim = (name: string) => {
    const value = raw.annotations?.[name]
    return typeof value === 'boolean' ? value : null
  }
  const title = raw.title ?? raw.annotations?.title
  return {
    name: raw.name,
    title: typeof title === 'string' && title.trim() !== '' ? redact(visibleText(title).trim().slice(0, 120)) : null,
    description: redact(visibleText(raw.description ?? '').slice(0, maxDescriptionCharacters)),
    claims: { isReadOnly: claim('readOnlyHint'), isDestructive: claim('destructiveHint') },
    schema,
    problem,
    fingerprint: fingerprintOf(raw),
  }
}

function schemaOf(schema: unknown): { schema: InputSchema | null; problem: string | null } {
  try {
    return { schema: usableSchema(schema), problem: null }
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    return { schema: null, problem: error.message }
  }
}

function fingerprintOf({ name, title, description, inputSchema, annotations }: RawTool): string {
  const text = canonical({ name, title, description, inputSchema, annotations }, 0)
  return createHash('sha256').update(text).digest('hex')
}

/** JSON with sorted keys, so that a tool whose keys are listed in another order is the same tool. */
function canonical(value: unknown, depth: number): string {
  if (depth > 64) return '"too deep"'
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner, depth + 1)}`).join(',')}}`
}

/**
 * The stored tools after a new list. An approval applies to the tool as it was: a tool that changed, or was missing in
 * between, must be allowed again. A tool that is off stays off.
 */
export function mergedTools(known: readonly KnownTool[], listed: readonly ListedTool[]): KnownTool[] {
  const before = new Map(known.map((tool) => [tool.name, tool]))
  const listedNames = new Set(listed.map(({ name }) => name))
  const present = listed.map((tool): KnownTool => {
    const earlier = before.get(tool.name)
    if (earlier === undefined) return { ...tool, approval: 'ask', isChanged: false, isListed: true }
    const isSame = earlier.fingerprint === tool.fingerprint && earlier.isListed
    const approval = earlier.approval === 'allow' && !isSame ? 'ask' : earlier.approval
    const isChanged = earlier.isChanged || (earlier.approval === 'allow' && !isSame)
    return { ...tool, approval, isChanged, isListed: true }
  })
  const missing = known.filter((tool) => !listedNames.has(tool.name) && tool.approval === 'off')
  return [...present, ...missing.map((tool) => ({ ...tool, isListed: false }))]
}
