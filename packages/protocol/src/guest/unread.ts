import { z } from 'zod'
import { listOf } from './bounded.ts'

/** The parts of a manifest that can be missing, in whole or in part. */
export const manifestParts = [
  'processes',
  'ports',
  'connections',
  'variables',
  'shell',
  'packages',
  'open-files',
  'memory-files',
  'memory',
  /** Only in manifests of an older guest, which named parts in words. */
  'unknown',
] as const
export type ManifestPart = (typeof manifestParts)[number]

/**
 * Why a part is missing. `failed`: reading it failed; `detail` is the system’s text. `not-answering`: the Python kernel
 * didn’t respond; `detail` says how. `unreadable`: the system doesn’t show it. `too-many`: over a limit. `glance`: not
 * read, because only a brief manifest was requested.
 */
export const unreadReasons = ['failed', 'not-answering', 'unreadable', 'too-many', 'glance'] as const
export type UnreadReason = (typeof unreadReasons)[number]

const unreadPartSchema = z.object({
  part: z.enum(manifestParts),
  /** With `open-files`: only those of this process. */
  pid: z.number().int().optional(),
  /** With `variables`: only those of this kernel. */
  context: z.string().optional(),
  /** How many are missing; without a number, the whole part is. */
  leftOut: z.number().int().min(0).max(1_000_000_000).optional(),
  reason: z.enum(unreadReasons),
  /** Another program’s text; otherwise empty. */
  detail: z.string(),
})
export type UnreadPart = z.infer<typeof unreadPartSchema>

/**
 * Earlier guests and servers wrote English. Such a guest still responds where a sandbox has kept its memory since then,
 * and such manifests are stored: with memory images, with incomplete reports, and with turns that can be rewound to.
 * This can be removed in the first release that no longer restores memory images of those guests and in which a
 * migration drops the stored ones.
 */
const wordedPartSchema = z.object({ what: z.string(), reason: z.string() })

export const unreadPartsSchema = listOf(z.union([unreadPartSchema, wordedPartSchema])).transform((entries) =>
  entries.flatMap((entry) => ('part' in entry ? [entry] : fromWords(entry))),
)

const wordsOfParts: Record<string, readonly ManifestPart[]> = {
  processes: ['processes'],
  ports: ['ports'],
  connections: ['connections'],
  'ports and connections': ['ports', 'connections'],
  'shell session': ['shell'],
  packages: ['packages'],
  'open files': ['open-files'],
  'files in memory': ['memory-files'],
  memory: ['memory'],
}

function fromWords({ what, reason }: z.infer<typeof wordedPartSchema>): UnreadPart[] {
  const [, count, name = ''] = /^(?:(\d{1,9}) more )?(.*)$/s.exec(what) ?? []
  const why = { ...(count === undefined ? {} : { leftOut: Number(count) }), ...reasonFromWords(reason) }
  const parts = Object.hasOwn(wordsOfParts, name) ? wordsOfParts[name] : undefined
  if (parts !== undefined) return parts.map((part) => ({ part, ...why }))
  const context = /^variables of (?:the Python kernel )?(.+)$/s.exec(name)?.[1]
  if (context !== undefined) return [{ part: 'variables', context, ...why }]
  const pid = /^open files of .*\(process (\d{1,9})\)$/s.exec(name)?.[1]
  if (pid !== undefined) return [{ part: 'open-files', pid: Number(pid), ...why }]
  return [{ part: 'unknown', reason: 'failed', detail: `${what}: ${reason}` }]
}

function reasonFromWords(reason: string): Pick<UnreadPart, 'reason' | 'detail'> {
  if (/^there are (?:too many|more than \d+)$/.test(reason)) return { reason: 'too-many', detail: '' }
  if (reason === 'only a glance was taken') return { reason: 'glance', detail: '' }
  if (reason === 'they cannot be listed') return { reason: 'unreadable', detail: '' }
  const silence = /^The Python kernel does not answer: (.*)$/s.exec(reason)?.[1]
  return silence === undefined ? { reason: 'failed', detail: reason } : { reason: 'not-answering', detail: silence }
}
