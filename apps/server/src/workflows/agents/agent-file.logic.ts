import { rescueReportSchema } from '@threadbox/protocol/guest'
import { cleanedSandboxSchema, skillLimits, skillNamePattern } from '@threadbox/protocol/host'
import { createAgentSchema, serviceNameSchema, servicePortSchema } from '@threadbox/protocol/public'
import { z } from 'zod'
import { parseJson } from '../../platform/system/parse-json.ts'

/**
 * An agent as one file (decision 0044): this line, one line of JSON ({@link agentFileSchema}), the packages of its
 * skills one after another, and then, until the end, the difference between its disk and its base image as the host
 * sends it.
 */
export const agentFileMark = 'threadbox-agent\n'
export const agentFileFormat = 1
/** A hundred times what names, instructions and lists of variables need. */
export const maxAgentFileHeadBytes = 16 * 1024 * 1024

const jsonObject = z.string().refine((text) => {
  const value = parseJson(text)
  return z.record(z.string(), z.string()).safeParse(value).success
})
const serviceSchema = z.object({
  name: serviceNameSchema,
  command: z.string().min(1).max(65_536),
  port: servicePortSchema,
  cwd: z.string().max(4096),
  environment_json: jsonObject,
  ready_timeout_ms: z.number().int().min(1000).max(600_000),
  key: z.string().min(1).max(200),
  state: z.enum(['starting', 'running', 'stopped', 'error']),
})
const { name, description, instructions } = createAgentSchema.shape

export const agentFileSchema = z.object({
  format: z.literal(agentFileFormat),
  /** Within what a date can be. */
  exportedAt: z.number().int().min(0).max(8_640_000_000_000_000),
  name,
  description: description.unwrap(),
  instructions: instructions.unwrap(),
  /** Null: the default of its owner. Models are identified by these names, never by their keys. */
  model: z.object({ provider: z.string().max(64), name: z.string().max(200), model: z.string().max(200) }).nullable(),
  /** Null: all that its threads have anyway; the file then contains no skill. */
  skills: z
    .array(
      z.object({
        name: z.string().regex(skillNamePattern),
        sizeBytes: z
          .number()
          .int()
          .min(1)
          .max(skillLimits.bytes * 2),
      }),
    )
    .max(200)
    .refine(hasUniqueNames, 'must have each name once')
    .nullable(),
  /** Identified by address, without credentials. Null: all that its threads have anyway. */
  connections: z
    .array(
      z.object({
        name: z.string().max(200),
        preset: z.string().max(64).nullable(),
        url: z.string().max(4096).nullable(),
      }),
    )
    .max(1000)
    .nullable(),
  computer: z
    .object({
      imageId: z.string().min(1).max(200),
      services: z.array(serviceSchema).max(100).refine(hasUniqueNames, 'must have each name once'),
      rescue: rescueReportSchema.nullable(),
      content: z.object({
        memoryProblem: z.string(),
        cleaned: cleanedSandboxSchema,
        diskBytes: z.number().int().min(0),
      }),
    })
    .nullable(),
})
export type AgentFile = z.infer<typeof agentFileSchema>

/** Reads a head: an agent, an agent in another format version, or a head that no installation wrote. */
export function readAgentFile(
  line: string,
):
  | { kind: 'agent'; file: AgentFile }
  | { kind: 'other-format'; format: number }
  | { kind: 'damaged'; problem: string } {
  const value = parseJson(line)
  const format = z.object({ format: z.number().int() }).safeParse(value)
  if (!format.success) return { kind: 'damaged', problem: 'it doesn’t start with the agent file header.' }
  if (format.data.format !== agentFileFormat) return { kind: 'other-format', format: format.data.format }
  const file = checked(value)
  if (file === undefined) return { kind: 'damaged', problem: 'it has values of an unexpected type.' }
  if (file.success) return { kind: 'agent', file: file.data }
  return { kind: 'damaged', problem: z.prettifyError(file.error).slice(0, 1000) }
}

/** Undefined where Zod itself fails: it compares a `length` before the type, which throws if that is an odd object. */
function checked(value: unknown) {
  try {
    return agentFileSchema.safeParse(value)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** A copy of a value with these texts masked in all of its strings, also inside of JSON in strings. */
export function withoutTexts<Value>(value: Value, secrets: readonly string[]): Value {
  const clean = (found: unknown): unknown => {
    if (typeof found === 'string') return secrets.reduce(withoutText, found)
    if (Array.isArray(found)) return found.map(clean)
    if (typeof found !== 'object' || found === null) return found
    return Object.fromEntries(Object.entries(found).map(([key, inside]) => [key, clean(inside)]))
  }
  return clean(value) as Value
}

function withoutText(text: string, secret: string): string {
  const inJson = JSON.stringify(secret).slice(1, -1)
  return text.replaceAll(secret, '********').replaceAll(inJson, '********')
}

function hasUniqueNames(items: readonly { name: string }[]): boolean {
  return new Set(items.map(({ name }) => name)).size === items.length
}

/** The address of a connection without names, passwords and keys. Null unless it is an HTTP address. */
export function addressOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { protocol, host, pathname } = new URL(url)
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname}` : null
}

/** The wanted name if it is free, otherwise with the first number that makes it free. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : ` (${number})`
    const name = `${wanted.slice(0, 80 - ending.length).trimEnd()}${ending}`
    if (!isTaken(name)) return name
  }
}
