import type { Server } from 'node:http'
import { hostContract, serveHostApi } from '@threadbox/protocol/host'
import { type BootOptions, makeBootsArea } from './boots/boots.ts'
import { makeCopiesArea } from './copies/copies.ts'
import { type MachineOptions, makeMachineArea } from './machine/machine.ts'
import type { MemoryOptions } from './memory/memory/pausing.ts'
import { makeMemoryArea } from './memory/memory.ts'
import { makeOrdersArea, type OrdersOptions } from './orders/orders.ts'
import { makeHostServer, makeOrdersApp } from './server.ts'

export type HostOptions = MachineOptions & BootOptions & { memory: MemoryOptions } & OrdersOptions

export type Host = {
  /** Reclaims and reconciles; after that the host can serve. */
  prepare(): Promise<void>
  /** Unpacks the base image while the host already serves; until then no new sandbox can be made. */
  prepareImage(): Promise<void>
  makeServer(options: { token: string | undefined }): Server
  /** Lets frozen boots continue that no process would later. None is frozen from then on. */
  endRests(): Promise<void>
  /** Releases everything; boots keep running. */
  close(): Promise<void>
}

/** The host daemon: five areas, each built from those before it. */
export async function makeHost(options: HostOptions): Promise<Host> {
  const closing = new AbortController()
  const machine = makeMachineArea(options, closing)
  const boots = makeBootsArea({ machine }, options)
  const memory = makeMemoryArea({ machine, boots }, options)
  const copies = makeCopiesArea({ machine, boots, memory })
  const orders = await makeOrdersArea({ machine, boots, memory, copies }, options)
  const app = makeOrdersApp({ serve: serveHostApi(hostContract, orders.api), logger: options.logger })
  return {
    prepare: async () => {
      await orders.reclaim()
      memory.watch()
      await boots.watch()
    },
    prepareImage: async () => {
      await machine.images.prepare()
      boots.spares.refill()
      boots.allocations.refill()
    },
    makeServer: ({ token }) => makeHostServer({ app, token }),
    endRests: boots.resting.close,
    close: async () => {
      closing.abort(new Error('the host daemon is ending'))
      await boots.running.settled()
      await options.database.destroy()
    },
  }
}
