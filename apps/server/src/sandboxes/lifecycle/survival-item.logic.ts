import type { Manifest, ManifestPart, UnreadPart } from '@threadbox/protocol/guest'
import type { SurvivalItem, SurvivalSpan } from '@threadbox/protocol/public'
import { type Because, detailOf, type Facts, nameOfGroup, reasonOf, type StandsFor } from './survival-words.logic.ts'

/** What ran before and what runs now. */
export type Manifests = { before: Manifest; after: Manifest; span?: SurvivalSpan }

export function spanOf({ span = 'pause' }: Manifests): SurvivalSpan {
  return span
}

/** `reason` and `detail` only if a program gave them; such a reason can have a code as well. */
export type Outcome = Pick<SurvivalItem, 'outcome'> &
  Partial<Pick<SurvivalItem, 'reason' | 'detail' | 'restartId'>> & { because?: Because; facts?: Facts }

/** Longest name, reason and detail: they come from programs, and a report can have thousands of them. */
const maxCharacters = 500

export function item(kind: SurvivalItem['kind'], name: string | StandsFor, outcome: Outcome): SurvivalItem {
  const { because, facts, detail = '', restartId = null } = outcome
  const standsFor = typeof name === 'string' ? undefined : shortened(name)
  const named = standsFor === undefined ? cut(String(name)) : cut(nameOfGroup(standsFor))
  return {
    kind,
    name: named,
    outcome: outcome.outcome,
    reason: cut(outcome.reason ?? (because === undefined ? '' : reasonOf(because))),
    detail: cut(facts === undefined ? detail : detailOf(facts)),
    restartId,
    ...(because === undefined ? {} : { because: shortened(because) }),
    ...(standsFor === undefined ? {} : { standsFor }),
    ...(facts === undefined ? {} : { facts }),
  }
}

/** The reason of an item: its code and its English text. */
export function reasonIn(because: Because): Pick<SurvivalItem, 'reason' | 'because'> {
  const short = shortened(because)
  return { reason: cut(reasonOf(short)), because: short }
}

function cut(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text
}

function shortened<One extends Because | StandsFor>(coded: One): One {
  const params = Object.entries(coded.params).map(([name, value]) => [
    name,
    typeof value === 'string' ? cut(value) : value,
  ])
  return { ...coded, params: Object.fromEntries(params) }
}

/** A part of a manifest: open files of one process, variables of one kernel. */
type Part = { part: ManifestPart; pid?: number; context?: string }

/** Why a whole part is missing in a manifest. A part that is only cut is compared as far as it goes. */
function unread(manifest: Manifest, wanted: Part): UnreadPart | undefined {
  return manifest.unread.find(
    ({ part, pid, context, leftOut }) =>
      part === wanted.part && leftOut === undefined && pid === wanted.pid && context === wanted.context,
  )
}

/** Why a part was not read in one of the two manifests; undefined if both have it. */
export function unreadIn(manifests: Manifests, part: Part): Because | undefined {
  const span = spanOf(manifests)
  const earlier = unread(manifests.before, part)
  if (earlier !== undefined) {
    return { code: 'unread-before', params: { span, why: earlier.reason, detail: earlier.detail } }
  }
  const later = unread(manifests.after, part)
  return later && { code: 'unread-after', params: { span, why: later.reason, detail: later.detail } }
}
