import {
  type Client,
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  createRouterTransport,
} from '@connectrpc/connect'
import { services as guest } from '@threadbox/protocol/guest'

const { ServiceState, ServiceProblem } = guest
type Info = Omit<guest.ServiceInfo, '$typeName' | '$unknown'>

/** A guest whose services have the states that a test sets: it stores keys and notifies watchers, and runs nothing. */
export type GuestServices = {
  client: Client<typeof guest.Services>
  /** The same for a guest that is reached over HTTP. */
  routes: (router: ConnectRouter) => void
  infos: Map<string, Info>
  starts: { name: string; key: string; command: string; port: number; cwd: string }[]
  openPorts: { port: number; command: string; cwd: string }[]
  logs: Map<string, string>
  /** While set, calls fail with it. */
  fails: ConnectError | undefined
  /** The immediate result of every start. */
  startsAs: Partial<Info>
  set(name: string, change: Partial<Info>): void
  /** Begins another boot: nothing runs, and watchers are cut off. */
  newBoot(): void
}

export function makeGuestServices(): GuestServices {
  const watchers = new Set<() => void>()
  let boot = new AbortController()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const state: GuestServices = {
    client: undefined as never,
    routes: (router) => addRoutes(router),
    infos: new Map(),
    starts: [],
    openPorts: [],
    logs: new Map(),
    fails: undefined,
    startsAs: {},
    set: (name, change) => {
      const info = state.infos.get(name)
      if (info !== undefined) state.infos.set(name, { ...info, ...change })
      changed()
    },
    newBoot: () => {
      state.infos.clear()
      boot.abort()
      boot = new AbortController()
    },
  }
  const addRoutes = (router: ConnectRouter) => {
    router.service(guest.Services, {
      startService: ({ key, name, port, command, cwd }) => {
        if (state.fails !== undefined) throw state.fails
        const known = state.infos.get(name)
        if (known?.key === key) return { service: known }
        state.starts.push({ key, name, port, command, cwd })
        const info = { ...newInfo({ key, name, port }), ...state.startsAs }
        state.infos.set(name, info)
        changed()
        return { service: info }
      },
      stopService: ({ name }) => {
        if (state.fails !== undefined) throw state.fails
        state.set(name, { state: ServiceState.STOPPED, problem: ServiceProblem.UNSPECIFIED })
        return {}
      },
      removeService: ({ name }) => {
        state.infos.delete(name)
        changed()
        return {}
      },
      async *watchServices(_request, context) {
        const signal = AbortSignal.any([context.signal, boot.signal])
        while (!signal.aborted) {
          const next = Promise.withResolvers<void>()
          watchers.add(next.resolve)
          signal.addEventListener('abort', () => next.resolve(), { once: true })
          const services = [...state.infos.values()].map((info) => ({ ...info }))
          yield { event: { case: 'snapshot', value: { services, openPorts: state.openPorts } } }
          await next.promise
          watchers.delete(next.resolve)
        }
      },
      readServiceLog: ({ name }) => {
        const text = state.logs.get(name)
        if (text === undefined) throw new ConnectError('nothing', Code.NotFound)
        const data = Buffer.from(text)
        return { data, offset: 0n, size: BigInt(data.length), dropped: 0n }
      },
    })
  }
  state.client = createClient(guest.Services, createRouterTransport(addRoutes))
  return state
}

function newInfo(of: { key: string; name: string; port: number }): Info {
  const fine = {
    problem: ServiceProblem.UNSPECIFIED,
    exitCode: 0,
    signal: '',
    message: '',
    lastLines: new Uint8Array(),
  }
  return { ...of, ...fine, state: ServiceState.STARTING, pid: 100 }
}
