import type { SecretOwnerKind, SecretWay, ThreadSecret } from '@threadbox/protocol/public'
import { type Access, subjectOfThread, type ThreadPlaceColumns } from '../access/access.ts'
import type { SecretRules } from './secret-words.logic.ts'
import type { SecretStore } from './secrets.store.ts'
import type { SecretGrantRow, SecretRow } from './secrets.table.ts'

/** A secret that a thread has now. Its value is still sealed. */
export type UsableSecret = {
  id: string
  name: string
  revision: number
  way: SecretWay
  sealedValue: string
  rules: SecretRules
}

/** Where a thread is, as far as grants depend on it. */
export type SecretPlace = ThreadPlaceColumns & { id: string; is_personal_off: number }

/** A grant that a thread has, and what keeps it from being in effect. */
export type HeldSecret = {
  row: SecretRow
  way: SecretWay
  obstacle: ThreadSecret['obstacle']
}

/** The secrets of threads, read at each call, so that a revocation applies immediately. */
export type UsableSecrets = {
  ofThread(place: SecretPlace): Promise<UsableSecret[]>
  /** By thread; threads without any are missing. */
  ofThreads(threadIds: readonly string[] | 'all'): Promise<Map<string, UsableSecret[]>>
  /** All grants of a thread and of its workspace. */
  heldBy(place: SecretPlace): Promise<HeldSecret[]>
  /** Whether a person other than its owner can use a personal secret there, or could before and its owner did not allow it again. */
  isSharedWithOthers(secret: Pick<SecretRow, 'user_id'>, place: SecretPlace): Promise<boolean>
}

export function makeUsableSecrets(dependencies: {
  store: Pick<SecretStore, 'all' | 'grants'>
  access: Pick<Access, 'roleMay' | 'people'>
  placesOf(threadIds: readonly string[] | 'all'): Promise<Map<string, SecretPlace>>
}): UsableSecrets {
  const { store, access, placesOf } = dependencies
  const canWork = (userId: string, place: SecretPlace) => access.roleMay(userId, 'work', subjectOfThread(place))
  const isSharedWithOthers: UsableSecrets['isSharedWithOthers'] = async ({ user_id }, place) => {
    if (place.is_personal_off === 1) return true
    return (await access.people('work', subjectOfThread(place))).some((person) => person !== user_id)
  }
  const isLent = async (row: SecretRow, place: SecretPlace) => {
    if (row.owner === 'installation') return true
    if (row.owner === 'workspace') return row.workspace_id === place.workspace_id
    return row.user_id !== null && (await canWork(row.user_id, place))
  }
  const held = async (place: SecretPlace, all: Grants): Promise<HeldSecret[]> => {
    const found: HeldSecret[] = []
    for (const [row, way] of grantedTo(place, all)) {
      if (!(await isLent(row, place))) continue
      const isShared = row.owner === 'person' && (await isSharedWithOthers(row, place))
      const isHidden = found.some((other) => other.obstacle === null && other.row.name === row.name)
      found.push({ row, way, obstacle: isShared ? 'shared' : isHidden ? 'hidden' : null })
    }
    return found
  }
  // Read with each command: most installations have no grant.
  const known = async (): Promise<Grants> => {
    const grants = await store.grants()
    return { grants, secrets: grants.length === 0 ? [] : await store.all() }
  }
  const usable = async (place: SecretPlace, all: Grants) =>
    (await held(place, all)).filter(({ obstacle }) => obstacle === null).map(usableOf)
  return {
    isSharedWithOthers,
    heldBy: async (place) => held(place, await known()),
    ofThread: async (place) => usable(place, await known()),
    ofThreads: async (threadIds) => {
      const all = await known()
      const found = new Map<string, UsableSecret[]>()
      if (all.grants.length === 0) return found
      for (const [id, place] of await placesOf(threadIds)) {
        const secrets = await usable(place, all)
        if (secrets.length > 0) found.set(id, secrets)
      }
      return found
    },
  }
}

type Grants = { grants: readonly SecretGrantRow[]; secrets: readonly SecretRow[] }

const closest: Record<SecretOwnerKind, number> = { person: 0, workspace: 1, installation: 2 }

/**
 * Of two secrets of one name, the first is used: what the thread itself was given before what its workspace was, and a
 * person’s before a workspace’s before the installation’s.
 */
function grantedTo(place: SecretPlace, { grants, secrets }: Grants): [SecretRow, SecretWay][] {
  const own = grants.filter(({ thread_id }) => thread_id === place.id)
  const inherited = grants.filter(
    ({ secret_id, workspace_id }) =>
      workspace_id !== null &&
      workspace_id === place.workspace_id &&
      !own.some((grant) => grant.secret_id === secret_id),
  )
  return [own, inherited].flatMap((level) =>
    secrets
      .flatMap((row): [SecretRow, SecretWay][] => {
        const grant = level.find(({ secret_id }) => secret_id === row.id)
        return grant === undefined ? [] : [[row, grant.way as SecretWay]]
      })
      .toSorted(([one], [other]) => closest[one.owner as SecretOwnerKind] - closest[other.owner as SecretOwnerKind]),
  )
}

function usableOf({ row, way }: HeldSecret): UsableSecret {
  const { id, name, revision, sealed_value } = row
  return { id, name, revision, way, sealedValue: sealed_value, rules: rulesOf(row) }
}

export function rulesOf(row: Pick<SecretRow, 'rules_json'>): SecretRules {
  return JSON.parse(row.rules_json) as SecretRules
}
