import type { Api } from '../../platform/http/api.ts'
import type { Threads } from '../../threads/public.ts'
import { forkRoutes } from './forks.routes.ts'
import { type Forks, type ForksDependencies, makeForks } from './forks.usecases.ts'

export type ForksFeature = { forks: Forks; routes: Api }

export function makeForksFeature(ports: ForksDependencies & { threads: Pick<Threads, 'open'> }): ForksFeature {
  const forks = makeForks(ports)
  return { forks, routes: forkRoutes({ forks, threads: ports.threads }) }
}
