import type { Audit } from '../people/audit/audit.ts'
import type { Settings } from '../people/settings/settings.ts'
import type { Users } from '../people/users/users.usecases.ts'
import type { Api } from '../platform/http/api.ts'
import type { HostClient } from '../sandboxes/host/host-client.ts'
import type { Models } from '../turns/models/models.usecases.ts'
import { installationRoutes, setupRoutes } from './installation.routes.ts'
import { makeStatus } from './status.ts'

/** What the installation reports about itself. */
export type Installation = {
  /** They answer without a login. */
  setupRoutes: Api
  routes: Api[]
}

export function makeInstallation(
  {
    users,
    settings,
    audit,
    models,
  }: { users: Users; settings: Settings; audit: Audit; models: Pick<Models, 'usable'> },
  { host, version }: { host: HostClient; version: string },
): Installation {
  const hasModel = async () => (await models.usable(null)) !== undefined
  const status = makeStatus({ version, host, users, hasModel })
  return { setupRoutes: setupRoutes(status), routes: [installationRoutes({ status, settings, audit, users })] }
}
