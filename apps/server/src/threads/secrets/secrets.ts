import type { Audit, LeavingPart, Users } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Api } from '../../platform/http/api.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, subjectOfThread } from '../access/access.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { makeLeavingSecrets } from './leaving-secrets.ts'
import { makeOwnNames } from './own-names.ts'
import { makeSecretRights } from './secret-rights.ts'
import { secretRoutes } from './secrets.routes.ts'
import { makeSecretStore } from './secrets.store.ts'
import type { SecretTables } from './secrets.table.ts'
import { makeSecrets, type Secrets } from './secrets.usecases.ts'
import { makeThreadSecretGrants, type ThreadSecretGrants } from './thread-secrets.ts'
import { makeUsableSecrets, type SecretPlace, type UsableSecrets } from './usable-secrets.ts'

/** Values that programs in sandboxes use without getting them, and who can use them. */
export type SecretsFeature = {
  secrets: Secrets
  grants: ThreadSecretGrants
  usable: UsableSecrets
  /** Values of all secrets. */
  values(): Promise<string[]>
  leaving: LeavingPart
  /** Names of the person’s own secrets that the thread has. */
  personalIn(userId: string, thread: SecretPlace): Promise<string[]>
  routes: Api
}

export function makeSecretsFeature(ports: {
  open: OpenDatabase
  threads: Pick<ThreadStore, 'findAny' | 'placesOf'>
  access: Access
  requireManaged(userId: string, workspaceId: string): Promise<void>
  hosts: AllowedHosts
  secretBox: SecretBox
  users: Pick<Users, 'administers' | 'mayAdminister'>
  events: Pick<Events<ThreadEvents>, 'emit'>
  audit: Audit
  system: System
}): SecretsFeature {
  const { threads, access, users, secretBox, events, audit, system } = ports
  const store = makeSecretStore(tablesOf<SecretTables>(ports.open.database))
  const rights = makeSecretRights({ access, users, requireManaged: ports.requireManaged })
  const usable = makeUsableSecrets({ store, access, placesOf: threads.placesOf })
  const secrets = makeSecrets({
    store,
    rights,
    titleFor: async (userId, threadId) => {
      const row = await threads.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return undefined
      return (await access.may(userId, 'read', subjectOfThread(row))) ? row.title : undefined
    },
    isOwnName: makeOwnNames(ports.hosts),
    secretBox,
    events,
    audit,
    system,
  })
  return {
    secrets,
    grants: makeThreadSecretGrants({ store, rights, usable, events, audit, system }),
    usable,
    values: async () => (await store.all()).map(({ sealed_value }) => secretBox.open(sealed_value)),
    leaving: makeLeavingSecrets({ store, events }),
    personalIn: async (userId, thread) => {
      const own = (await usable.heldBy(thread)).filter(({ row }) => row.owner === 'person' && row.owner_id === userId)
      return own.map(({ row }) => row.name)
    },
    routes: secretRoutes({ secrets }),
  }
}
