import type { Audit, Settings, Users } from '../people/public.ts'
import type { Api } from '../platform/http/api.ts'
import type { HostClient } from '../sandboxes/public.ts'
import type { Models } from '../turns/public.ts'
import { installationRoutes, setupRoutes } from './installation.routes.ts'
import { makeStatus } from './status.ts'

/** The installation's report about itself. */
export type Installation = {
  /** Routes that need no sign-in. */
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
