import type { Audit } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Api } from '../../platform/http/api.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Ledger } from '../spending/ledger.ts'
import type { TurnEvents } from '../turns.events.ts'
import { makeModelChanges } from './model-changes.ts'
import { modelRoutes } from './models.routes.ts'
import { makeModelStore } from './models.store.ts'
import type { ModelConnectionRow, ModelTables } from './models.table.ts'
import { type Models, makeModels } from './models.usecases.ts'

export type ModelsFeature = {
  models: Models
  rows(): Promise<ModelConnectionRow[]>
  /** The keys that users entered. */
  secrets(): Promise<string[]>
  routes: Api
}

export function makeModelsFeature(ports: {
  open: OpenDatabase
  secretBox: SecretBox
  events: Pick<Events<TurnEvents>, 'emit'>
  administers: (userId: string) => Promise<boolean>
  audit: Audit
  ledger: Pick<Ledger, 'begin'>
  environment: Readonly<Record<string, string | undefined>>
  ollamaUrl: string | null
  system: System
}): ModelsFeature {
  const { secretBox, events, administers, audit, ledger, environment, ollamaUrl, system } = ports
  const store = makeModelStore(tablesOf<ModelTables>(ports.open.database))
  const models = makeModels({
    store,
    secretBox,
    events,
    ledger,
    environment,
    clock: { nowMs: system.now },
    randomBytes: system.randomBytes,
    ollamaUrl,
  })
  return {
    models,
    rows: store.list,
    secrets: async () =>
      (await store.list()).flatMap(({ sealed_key }) => (sealed_key === null ? [] : [secretBox.open(sealed_key)])),
    routes: modelRoutes({ models, changes: makeModelChanges({ models, audit }), administers }),
  }
}
