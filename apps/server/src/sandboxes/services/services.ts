import type { Logger } from '@threadbox/telemetry'
import type { UserHub } from '../../people/public.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import type { ReadDefaults } from '../../threads/public.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxReads } from '../state/sandbox-reads.ts'
import { policyOf } from '../state/sandbox-rows.ts'
import { makeServiceWatch, type ServiceWatch } from './service-watch.ts'
import type { SandboxFacts } from './services.logic.ts'
import { serviceRoutes } from './services.routes.ts'
import type { ServiceStore } from './services.store.ts'
import { makeServiceParts, makeServices, type Services } from './services.usecases.ts'

export type ServicesFeature = { services: Services; watch: ServiceWatch; routes: Api }

export function makeServicesFeature(ports: {
  store: ServiceStore
  sandboxes: Pick<Sandboxes, 'awake' | 'ifAwake'>
  sandboxStore: Pick<SandboxReads, 'find'>
  factsOf: (threadId: string) => Promise<SandboxFacts | undefined>
  threads: {
    readersOf: (threadId: string) => Promise<string[]>
    readDefaults: ReadDefaults
    open: OpenThread
  }
  userHub: Pick<UserHub, 'publish'>
  system: System
  logger: Logger
}): ServicesFeature {
  const { store, sandboxes, sandboxStore, threads, system, logger } = ports
  const parts = makeServiceParts({
    store,
    awake: (threadId, signal) =>
      sandboxes.awake(threadId, { reason: 'api', ...(signal === undefined ? {} : { signal }) }),
    ifAwake: sandboxes.ifAwake,
    sandboxOf: ports.factsOf,
    readersOf: threads.readersOf,
    publish: ports.userHub.publish,
    maxServices: async (threadId) => {
      const defaults = await threads.readDefaults([threadId])
      return policyOf(await sandboxStore.find(threadId), defaults(threadId).policy).policy.maxServices
    },
    system,
    logger,
  })
  const services = makeServices(parts)
  return { services, watch: makeServiceWatch(parts), routes: serviceRoutes({ services, open: threads.open }) }
}
