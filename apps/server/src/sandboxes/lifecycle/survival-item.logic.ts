import type { Manifest, ManifestPart, UnreadPart } from '@threadbox/protocol/guest'
import type { SurvivalItem } from '@threadbox/protocol/public'

/** Which two points in time are compared. */
export type Span = 'pause' | 'rewind' | 'undo'

/** What was running before and what is running now. */
export type Manifests = { before: Manifest; after: Manifest; span?: Span }

export const spanWords: Record<Span, { before: string; after: string; since: string }> = {
  pause: { before: 'before the pause', after: 'after the wake', since: 'after the pause' },
  rewind: { before: 'at that point', after: 'after the rewind', since: 'after the rewind' },
  undo: { before: 'before the rewind', after: 'after the rewind was undone', since: 'after the rewind was undone' },
}

export function wordsOf({ span = 'pause' }: Manifests) {
  return spanWords[span]
}

export type Outcome = Pick<SurvivalItem, 'outcome'> & Partial<Pick<SurvivalItem, 'reason' | 'detail' | 'restartId'>>

/** Longest name, reason and detail: they come from programs, and a report has thousands of them. */
const maxCharacters = 500

export function item(kind: SurvivalItem['kind'], name: string, outcome: Outcome): SurvivalItem {
  const cut = (text: string) => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text)
  const { reason = '', detail = '', restartId = null } = outcome
  return { kind, name: cut(name), outcome: outcome.outcome, reason: cut(reason), detail: cut(detail), restartId }
}

/** A part of a manifest; of open files those of one process, of variables those of one kernel. */
type Part = { part: ManifestPart; pid?: number; context?: string }

/** Why a whole part is missing in a manifest. A part of which only some are left out is compared as far as it goes. */
function unread(manifest: Manifest, wanted: Part): UnreadPart | undefined {
  return manifest.unread.find(
    ({ part, pid, context, leftOut }) =>
      part === wanted.part && leftOut === undefined && pid === wanted.pid && context === wanted.context,
  )
}

const unreadWords: Record<UnreadPart['reason'], (detail: string) => string> = {
  failed: (detail) => detail,
  'not-answering': (detail) => `the Python kernel doesn’t respond: ${detail}`,
  unreadable: () => 'they can’t be listed',
  'too-many': () => 'there are too many',
  glance: () => 'only a glance was taken',
}

/** The reason why a part was not read in one of the two manifests; undefined when both were. */
export function unreadIn(manifests: Manifests, part: Part): string | undefined {
  const words = wordsOf(manifests)
  const earlier = unread(manifests.before, part)
  if (earlier !== undefined) {
    return `Couldn’t be checked ${words.before}: ${unreadWords[earlier.reason](earlier.detail)}`
  }
  const later = unread(manifests.after, part)
  return later && `Couldn’t be checked ${words.after}: ${unreadWords[later.reason](later.detail)}`
}
