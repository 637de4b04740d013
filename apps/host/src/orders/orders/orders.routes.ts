import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { isId } from '@threadbox/domain'
import {
  abandonPauseSchema,
  changeSandboxSchema,
  cleanSandboxSchema,
  demoteSandboxSchema,
  ensureSandboxSchema,
  forkSandboxSchema,
  hostPaths,
  pauseSandboxSchema,
  placeSkillsSchema,
  preserveSandboxSchema,
  receiveDiskSchema,
  rewindSandboxSchema,
  shutdownOrderSchema,
  startSandboxSchema,
  stopSandboxSchema,
  takeSnapshotSchema,
  wakeSandboxSchema,
} from '@threadbox/protocol/host'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { requestInvalid } from '../../machine/errors/orders.errors.ts'
import type { SandboxOrders } from './sandbox-orders.ts'

const sandboxPath = hostPaths.sandbox(':sandboxId')

export function addOrderRoutes(app: Hono, orders: SandboxOrders): void {
  addMemoryRoutes(app, orders)
  addSnapshotRoutes(app, orders)
  addRewindRoutes(app, orders)
  addSkillRoutes(app, orders)
  addDiskRoutes(app, orders)
  app.get(hostPaths.sandboxes, async (context) => context.json({ sandboxes: await orders.list() }))
  app.get(sandboxPath, async (context) =>
    context.json(await orders.get(sandboxIdOf(context), { withUsage: context.req.query('usage') === 'true' })),
  )
  app.put(sandboxPath, async (context) =>
    context.json(await orders.ensure(sandboxIdOf(context), await bodyOf(context, ensureSandboxSchema))),
  )
  app.patch(sandboxPath, async (context) =>
    context.json(await orders.change(sandboxIdOf(context), await bodyOf(context, changeSandboxSchema))),
  )
  app.delete(sandboxPath, async (context) => {
    await orders.delete(sandboxIdOf(context))
    return context.body(null, 204)
  })
  app.post(hostPaths.start(':sandboxId'), async (context) => {
    const order = await bodyOf(context, startSandboxSchema)
    if (!isId('boot', order.bootId)) throw requestInvalid({ problem: 'bootId is not an id of a boot' })
    return context.json(await orders.start(sandboxIdOf(context), order))
  })
  app.post(hostPaths.stop(':sandboxId'), async (context) =>
    context.json(await orders.stop(sandboxIdOf(context), await bodyOf(context, stopSandboxSchema))),
  )
  app.post(hostPaths.shutdown, async (context) =>
    context.json(await orders.shutDown(await bodyOf(context, shutdownOrderSchema))),
  )
}

function addMemoryRoutes(app: Hono, orders: SandboxOrders): void {
  app.post(hostPaths.pause(':sandboxId'), async (context) =>
    context.json(await orders.pause(sandboxIdOf(context), await bodyOf(context, pauseSandboxSchema))),
  )
  app.post(hostPaths.abandonPause(':sandboxId'), async (context) =>
    context.json(await orders.abandonPause(sandboxIdOf(context), await bodyOf(context, abandonPauseSchema))),
  )
  app.post(hostPaths.wake(':sandboxId'), async (context) =>
    context.json(await orders.wake(sandboxIdOf(context), await bodyOf(context, wakeSandboxSchema))),
  )
  app.post(hostPaths.demote(':sandboxId'), async (context) =>
    context.json(await orders.demote(sandboxIdOf(context), await bodyOf(context, demoteSandboxSchema))),
  )
  app.get(hostPaths.fileChanges(':sandboxId'), async (context) =>
    context.json(await orders.fileChanges(sandboxIdOf(context))),
  )
}

function addSnapshotRoutes(app: Hono, orders: SandboxOrders): void {
  app.post(hostPaths.fork(':sandboxId'), async (context) => {
    const order = await bodyOf(context, forkSandboxSchema)
    if (!isId('boot', order.bootId)) throw requestInvalid({ problem: 'bootId is not an id of a boot' })
    return context.json(await orders.fork(sandboxIdOf(context), order))
  })
  app.post(hostPaths.clean(':sandboxId'), async (context) =>
    context.json(await orders.clean(sandboxIdOf(context), await bodyOf(context, cleanSandboxSchema))),
  )
  app.post(hostPaths.preserve(':sandboxId'), async (context) =>
    context.json(await orders.preserve(sandboxIdOf(context), await bodyOf(context, preserveSandboxSchema))),
  )
  app.get(hostPaths.snapshots(':sandboxId'), async (context) =>
    context.json(await orders.listSnapshots(sandboxIdOf(context))),
  )
  app.post(hostPaths.snapshots(':sandboxId'), async (context) => {
    const order = await bodyOf(context, takeSnapshotSchema)
    if (!isId('snapshot', order.snapshotId)) throw requestInvalid({ problem: 'snapshotId is not an id of a snapshot' })
    return context.json(await orders.takeSnapshot(sandboxIdOf(context), order))
  })
  app.delete(hostPaths.snapshot(':sandboxId', ':snapshotId'), async (context) => {
    await orders.removeSnapshot(sandboxIdOf(context), context.req.param('snapshotId') ?? '')
    return context.body(null, 204)
  })
  app.delete(hostPaths.snapshotMemory(':sandboxId', ':snapshotId'), async (context) => {
    await orders.removeSnapshotMemory(sandboxIdOf(context), context.req.param('snapshotId') ?? '')
    return context.body(null, 204)
  })
}

function addRewindRoutes(app: Hono, orders: SandboxOrders): void {
  app.post(hostPaths.rewind(':sandboxId'), async (context) => {
    const order = await bodyOf(context, rewindSandboxSchema)
    for (const id of [order.keepId, order.snapshotId]) {
      if (id !== null && !isId('snapshot', id)) throw requestInvalid({ problem: 'not an id of a snapshot' })
    }
    if (order.bootId !== null && !isId('boot', order.bootId)) {
      throw requestInvalid({ problem: 'bootId is not an id of a boot' })
    }
    return context.json(await orders.rewind(sandboxIdOf(context), order))
  })
  app.get(hostPaths.namesAsked(':sandboxId'), async (context) =>
    context.json(await orders.namesAsked(sandboxIdOf(context), Number(context.req.query('since') ?? 0))),
  )
  app.get(hostPaths.snapshotChanges(':sandboxId', ':snapshotId'), async (context) =>
    context.json(await orders.snapshotChanges(sandboxIdOf(context), context.req.param('snapshotId') ?? '')),
  )
}

function addSkillRoutes(app: Hono, orders: SandboxOrders): void {
  app.put(hostPaths.skills(':sandboxId'), async (context) =>
    context.json(await orders.placeSkills(sandboxIdOf(context), await bodyOf(context, placeSkillsSchema))),
  )
  app.put(hostPaths.skillPackage(':digest'), async (context) => {
    await orders.storeSkill(context.req.param('digest') ?? '', new Uint8Array(await context.req.arrayBuffer()))
    return context.body(null, 204)
  })
}

function addDiskRoutes(app: Hono, orders: SandboxOrders): void {
  app.get(hostPaths.disk(':sandboxId'), async (context) => {
    const bytes = await orders.sendDisk(sandboxIdOf(context))
    const headers = { 'content-type': 'application/zstd' }
    return context.newResponse(Readable.toWeb(bytes) as globalThis.ReadableStream<Uint8Array>, 200, headers)
  })
  app.put(hostPaths.disk(':sandboxId'), async (context) => {
    const order = parsed(receiveDiskSchema, parseJson(context.req.query('order') ?? ''))
    const bytes = Readable.fromWeb((context.req.raw.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>)
    try {
      return context.json(await orders.receiveDisk(sandboxIdOf(context), { ...order, bytes }))
    } catch (error) {
      await drained(bytes)
      throw error
    }
  })
}

/** Who is still sending reads no answer; who stopped in the middle gets it once nothing came for this long. */
const drainMs = 3000

async function drained(bytes: Readable): Promise<void> {
  const silence = setTimeout(() => bytes.destroy(), drainMs)
  bytes.on('data', () => silence.refresh())
  await finished(bytes).catch(() => undefined)
  clearTimeout(silence)
}

function sandboxIdOf(context: Context): string {
  const sandboxId = context.req.param('sandboxId') ?? ''
  if (!isId('sandbox', sandboxId)) throw requestInvalid({ problem: 'the path names no id of a sandbox' })
  return sandboxId
}

async function bodyOf<Body>(context: Context, schema: z.ZodType<Body, unknown>): Promise<Body> {
  const text = await context.req.text()
  return parsed(schema, text === '' ? {} : parseJson(text))
}

function parsed<Body>(schema: z.ZodType<Body, unknown>, value: unknown): Body {
  const found = schema.safeParse(value)
  if (!found.success) throw requestInvalid({ problem: z.prettifyError(found.error) })
  return found.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw requestInvalid({ problem: 'the body is not JSON' })
  }
}
