import { Agent as HttpAgent } from 'node:http'
import type { Readable } from 'node:stream'
import type { Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { fromWireError } from '@threadbox/errors'
import type { RescueRequest } from '@threadbox/protocol/guest'
import {
  type AbandonedPause,
  abandonedPauseSchema,
  bootHeader,
  type CleanedSandbox,
  cleanedSandboxSchema,
  type cleanSandboxSchema,
  type DemotedSandbox,
  demotedSandboxSchema,
  type FileChanges,
  type ForkedSandbox,
  fileChangesSchema,
  forkedSandboxSchema,
  type forkSandboxSchema,
  type HostDoctor,
  type HostEvent,
  type HostInfo,
  type HostSandbox,
  type HostSnapshots,
  hostDoctorSchema,
  hostEventSchema,
  hostInfoSchema,
  hostPaths,
  hostSandboxSchema,
  hostSnapshotsSchema,
  imageSnapshot,
  type NamesAsked,
  namesAskedSchema,
  type PausedSandbox,
  type PlacedSkills,
  type PlaceSkills,
  type PreservedSandbox,
  pausedSandboxSchema,
  placedSkillsSchema,
  preservedSandboxSchema,
  type preserveSandboxSchema,
  type ReceiveDisk,
  type RewindSandbox,
  type RewoundSandbox,
  rewoundSandboxSchema,
  type SnapshotChanges,
  type SnapshotMemoryOrder,
  snapshotChangesSchema,
  type TakenSnapshot,
  takenSnapshotSchema,
  type WokenSandbox,
  wokenSandboxSchema,
} from '@threadbox/protocol/host'
import { Agent, type Dispatcher } from 'undici'
import { z } from 'zod'
import { parseJson } from '../../platform/system/parse-json.ts'
import { hostAnswerUnknown, hostUnreachable } from './host.errors.ts'
import { makeSleepingDisk, type SleepingDisk } from './sleeping-disk.ts'

/** An order may include making a disk and starting a sandbox on a busy machine. */
const orderTimeoutMs = 120_000
/** Saving or reading gigabytes of memory on a slow disk, and writing down what is rescued of it. */
const memoryOrderTimeoutMs = 900_000
/** The host sends a keep-alive every few seconds: after this silence its event stream counts as lost. */
const eventSilenceMs = 45_000

export type HostClient = {
  info(): Promise<HostInfo>
  doctor(): Promise<HostDoctor>
  list(): Promise<HostSandbox[]>
  get(sandboxId: string, options?: { withUsage: boolean }): Promise<HostSandbox | undefined>
  ensure(
    sandboxId: string,
    order: { limits: HostSandbox['limits']; egress: HostSandbox['egress']; hashKey: string },
  ): Promise<HostSandbox>
  /** Changes a sandbox that exists, also while it runs. */
  change(sandboxId: string, order: { limits: HostSandbox['limits'] }): Promise<HostSandbox>
  start(sandboxId: string, order: { bootId: string; hostname: string }): Promise<HostSandbox>
  /** Saves the memory of a boot and stops its clock. When it fails the boot goes on as it was. */
  pause(sandboxId: string, order: { bootId: string; hashKey: string }): Promise<PausedSandbox>
  /** Has a pause that is under way give up, so that the boot goes on as soon as it can. */
  abandonPause(sandboxId: string, order: { bootId: string }): Promise<AbandonedPause>
  /** Lets a paused boot go on. Fails with `sandbox.memory-unusable` when its memory cannot be used. */
  wake(sandboxId: string, order: { bootId: string }): Promise<WokenSandbox>
  /** Gives the memory of a paused boot up, after what can be rescued of it was. */
  demote(sandboxId: string, order: { bootId: string; budgets: RescueRequest }): Promise<DemotedSandbox>
  /** Freezes what the disk contains; when nothing changed since the last snapshot, that one is the answer. */
  takeSnapshot(sandboxId: string, order: { snapshotId: string; memory: SnapshotMemoryOrder }): Promise<TakenSnapshot>
  snapshots(sandboxId: string): Promise<HostSnapshots>
  /** Makes this sandbox out of another one, which goes on unharmed. */
  fork(sandboxId: string, order: z.input<typeof forkSandboxSchema>): Promise<ForkedSandbox>
  /**
   * Gives the disk back what a snapshot has (null: its image), and lets the memory of that snapshot go on; what runs ends,
   * and the present is kept.
   */
  rewind(sandboxId: string, order: RewindSandbox): Promise<RewoundSandbox>
  /** What of the disk differs from a snapshot, or from its image. */
  snapshotChanges(sandboxId: string, snapshotId: string | null): Promise<SnapshotChanges>
  /** Names of other machines that programs inside asked for since a moment. */
  namesAsked(sandboxId: string, sinceMs: number): Promise<NamesAsked>
  /** Takes secrets and traces off the disk of a sandbox that is stopped. */
  clean(sandboxId: string, order: z.input<typeof cleanSandboxSchema>): Promise<CleanedSandbox>
  /** How the disk of a sandbox in which nothing runs differs from its image. Breaks off when it fails. */
  sendDisk(sandboxId: string): Promise<Readable>
  /** Makes a sandbox that never ran with such a disk. An id is taken once: it is not ordered again. */
  receiveDisk(sandboxId: string, order: ReceiveDisk, bytes: Readable): Promise<HostSandbox>
  /** The same, of a copy that runs or sleeps, and keeps its memory unless something speaks against it. */
  preserve(sandboxId: string, order: z.input<typeof preserveSandboxSchema>): Promise<PreservedSandbox>
  /** Gives up a snapshot; one that is gone already, or its whole sandbox, is fine. */
  removeSnapshot(sandboxId: string, snapshotId: string): Promise<void>
  /** As `removeSnapshot`, its memory alone. */
  removeSnapshotMemory(sandboxId: string, snapshotId: string): Promise<void>
  /** What an awake boot sees at `/skills`; packages that the host has not got are named, and nothing is changed then. */
  placeSkills(sandboxId: string, order: PlaceSkills): Promise<PlacedSkills>
  storeSkill(digest: string, bytes: Uint8Array): Promise<void>
  /** What differs on the disk from the moment of the last pause. */
  fileChanges(sandboxId: string): Promise<FileChanges>
  /** Ends a boot; one that is over already is fine. */
  stop(sandboxId: string, bootId: string): Promise<void>
  /** Removes everything of a sandbox; one that is gone already is fine. */
  delete(sandboxId: string): Promise<void>
  /** Live events until the stream breaks or the signal aborts. */
  events(signal: AbortSignal): AsyncIterable<HostEvent>
  /** Reads the disk of a sandbox that sleeps. Throws `sandbox.disk-not-readable` for one that is awake. */
  sleepingFiles(sandboxId: string, signal: AbortSignal): SleepingDisk
  /** Sends any request through the gateway to the guest of one boot. */
  guest(target: { sandboxId: string; bootId: string }, request: GuestRequest): Promise<Dispatcher.ResponseData>
  /** The guest's RPC services, over the same gateway. */
  transport(target: { sandboxId: string; bootId: string }): Transport
  close(): Promise<void>
}
export type GuestRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Dispatcher.DispatchOptions['body']
  signal?: AbortSignal | undefined
}

/** The host daemon behind a unix socket. Its errors are thrown as they were thrown there. */
export function makeHostClient(options: { socketPath: string }): HostClient {
  const dispatcher = new Agent({
    connect: { socketPath: options.socketPath },
    headersTimeout: orderTimeoutMs,
    // Bodies are downloads and event streams: they may pause for as long as they like.
    bodyTimeout: 0,
  })
  const httpAgent = new HttpAgent({ keepAlive: true })
  const send = async (request: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> => {
    const response = await dispatcher.request({ ...request, origin: 'http://host' }).catch((error: unknown) => {
      if ((request.signal as AbortSignal | undefined)?.aborted) throw error
      throw hostUnreachable({}, { cause: error })
    })
    return response
  }
  const order: SendOrder = async (schema, request) => {
    const response = await send({
      method: request.method,
      path: request.path,
      headersTimeout: request.timeoutMs ?? orderTimeoutMs,
      headers: {
        ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.bootId === undefined ? {} : { [bootHeader]: request.bootId }),
      },
      ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
      ...(request.bytes === undefined ? {} : { body: request.bytes }),
    })
    const text = await response.body.text()
    const body = parseJson(text)
    if (response.statusCode >= 400) throw fromWireError(body) ?? hostAnswerUnknown({ status: response.statusCode })
    const parsed = schema.safeParse(body)
    if (!parsed.success) throw hostAnswerUnknown({ status: response.statusCode }, { cause: parsed.error })
    return parsed.data
  }

  return {
    info: () => order(hostInfoSchema, { method: 'GET', path: hostPaths.info }),
    doctor: () => order(hostDoctorSchema, { method: 'GET', path: hostPaths.doctor }),
    list: async () => {
      const listed = await order(listSchema, { method: 'GET', path: hostPaths.sandboxes })
      return listed.sandboxes
    },
    get: (sandboxId, options) => {
      const path = `${hostPaths.sandbox(sandboxId)}${options?.withUsage === true ? '?usage=true' : ''}`
      return order(hostSandboxSchema, { method: 'GET', path }).catch(undefinedIfNotFound)
    },
    ensure: (sandboxId, json) => order(hostSandboxSchema, { method: 'PUT', path: hostPaths.sandbox(sandboxId), json }),
    change: (sandboxId, json) =>
      order(hostSandboxSchema, { method: 'PATCH', path: hostPaths.sandbox(sandboxId), json }),
    start: (sandboxId, json) =>
      order(hostSandboxSchema, { method: 'POST', path: hostPaths.start(sandboxId), json, bootId: json.bootId }),
    ...memoryOrders(order),
    ...diskOrders(order),
    ...diskStreams(send),
    placeSkills: (sandboxId, json) =>
      order(placedSkillsSchema, { method: 'PUT', path: hostPaths.skills(sandboxId), json, bootId: json.bootId }),
    storeSkill: async (digest, bytes) => {
      await order(z.unknown(), { method: 'PUT', path: hostPaths.skillPackage(digest), bytes })
    },
    stop: async (sandboxId, bootId) => {
      await order(z.unknown(), { method: 'POST', path: hostPaths.stop(sandboxId), json: { bootId }, bootId })
    },
    delete: async (sandboxId) => {
      await order(z.unknown(), { method: 'DELETE', path: hostPaths.sandbox(sandboxId) }).catch(undefinedIfNotFound)
    },
    events: (signal) => readEvents(send, signal),
    sleepingFiles: (sandboxId, signal) => makeSleepingDisk(send, { sandboxId, signal }),
    guest: (target, request) =>
      send({
        method: request.method,
        path: `${hostPaths.guest(target.sandboxId)}${request.path}`,
        query: request.query ?? {},
        headers: { ...request.headers, [bootHeader]: target.bootId },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      }),
    transport: (target) =>
      createConnectTransport({
        baseUrl: `http://host${hostPaths.guest(target.sandboxId)}`,
        httpVersion: '1.1',
        nodeOptions: { socketPath: options.socketPath, agent: httpAgent },
        interceptors: [
          (next) => (request) => {
            request.header.set(bootHeader, target.bootId)
            return next(request)
          },
        ],
      }),
    close: async () => {
      httpAgent.destroy()
      await dispatcher.destroy()
    },
  }
}

/** One request with JSON, whose answer is what the schema says. */
type SendOrder = <Schema extends z.ZodType>(
  schema: Schema,
  request: {
    method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE'
    path: string
    json?: unknown
    bytes?: Uint8Array
    bootId?: string
    timeoutMs?: number
  },
) => Promise<z.infer<Schema>>

function memoryOrders(order: SendOrder): Pick<HostClient, 'pause' | 'abandonPause' | 'wake' | 'demote'> {
  const memoryOrder = <Schema extends z.ZodType>(schema: Schema, path: string, json: { bootId: string }) =>
    order(schema, { method: 'POST', path, json, bootId: json.bootId, timeoutMs: memoryOrderTimeoutMs })
  return {
    pause: (sandboxId, json) => memoryOrder(pausedSandboxSchema, hostPaths.pause(sandboxId), json),
    abandonPause: (sandboxId, json) =>
      order(abandonedPauseSchema, {
        method: 'POST',
        path: hostPaths.abandonPause(sandboxId),
        json,
        bootId: json.bootId,
      }),
    wake: (sandboxId, json) => memoryOrder(wokenSandboxSchema, hostPaths.wake(sandboxId), json),
    demote: (sandboxId, json) => memoryOrder(demotedSandboxSchema, hostPaths.demote(sandboxId), json),
  }
}

function diskOrders(
  order: SendOrder,
): Pick<
  HostClient,
  | 'fileChanges'
  | 'fork'
  | 'clean'
  | 'preserve'
  | 'rewind'
  | 'snapshotChanges'
  | 'namesAsked'
  | 'takeSnapshot'
  | 'snapshots'
  | 'removeSnapshot'
  | 'removeSnapshotMemory'
> {
  return {
    fileChanges: (sandboxId) => order(fileChangesSchema, { method: 'GET', path: hostPaths.fileChanges(sandboxId) }),
    takeSnapshot: (sandboxId, json) =>
      order(takenSnapshotSchema, {
        method: 'POST',
        path: hostPaths.snapshots(sandboxId),
        json,
        timeoutMs: memoryOrderTimeoutMs,
      }),
    snapshots: (sandboxId) => order(hostSnapshotsSchema, { method: 'GET', path: hostPaths.snapshots(sandboxId) }),
    fork: (sandboxId, json) =>
      order(forkedSandboxSchema, {
        method: 'POST',
        path: hostPaths.fork(sandboxId),
        json,
        timeoutMs: memoryOrderTimeoutMs,
      }),
    rewind: (sandboxId, json) =>
      order(rewoundSandboxSchema, {
        method: 'POST',
        path: hostPaths.rewind(sandboxId),
        json,
        timeoutMs: memoryOrderTimeoutMs,
      }),
    snapshotChanges: (sandboxId, snapshotId) => {
      const path = hostPaths.snapshotChanges(sandboxId, snapshotId ?? imageSnapshot)
      return order(snapshotChangesSchema, { method: 'GET', path })
    },
    namesAsked: (sandboxId, sinceMs) =>
      order(namesAskedSchema, { method: 'GET', path: `${hostPaths.namesAsked(sandboxId)}?since=${sinceMs}` }),
    clean: (sandboxId, json) =>
      order(cleanedSandboxSchema, {
        method: 'POST',
        path: hostPaths.clean(sandboxId),
        json,
        timeoutMs: memoryOrderTimeoutMs,
      }),
    removeSnapshotMemory: async (sandboxId, snapshotId) => {
      const path = hostPaths.snapshotMemory(sandboxId, snapshotId)
      await order(z.unknown(), { method: 'DELETE', path }).catch(undefinedIfNotFound)
    },
    preserve: (sandboxId, json) =>
      order(preservedSandboxSchema, {
        method: 'POST',
        path: hostPaths.preserve(sandboxId),
        json,
        timeoutMs: memoryOrderTimeoutMs,
      }),
    removeSnapshot: async (sandboxId, snapshotId) => {
      const path = hostPaths.snapshot(sandboxId, snapshotId)
      await order(z.unknown(), { method: 'DELETE', path }).catch(undefinedIfNotFound)
    },
  }
}

/** Disks are as large as they are, and come and go as fast as whoever is at the other end lets them. */
function diskStreams(
  send: (request: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>,
): Pick<HostClient, 'sendDisk' | 'receiveDisk'> {
  const failureOf = async ({ statusCode, body }: Dispatcher.ResponseData) =>
    fromWireError(parseJson(await body.text())) ?? hostAnswerUnknown({ status: statusCode })
  return {
    sendDisk: async (sandboxId) => {
      const response = await send({ method: 'GET', path: hostPaths.disk(sandboxId) })
      if (response.statusCode >= 400) throw await failureOf(response)
      return response.body
    },
    receiveDisk: async (sandboxId, order, bytes) => {
      const query = { order: JSON.stringify(order) }
      const request = { method: 'PUT' as const, path: hostPaths.disk(sandboxId), query, body: bytes }
      const response = await send({ ...request, headersTimeout: 0 })
      if (response.statusCode >= 400) throw await failureOf(response)
      return hostSandboxSchema.parse(parseJson(await response.body.text()))
    },
  }
}

const listSchema = z.object({ sandboxes: z.array(hostSandboxSchema) })

async function* readEvents(
  send: (request: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>,
  signal: AbortSignal,
): AsyncGenerator<HostEvent> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), eventSilenceMs)
  const either = AbortSignal.any([signal, silence.signal])
  try {
    const response = await send({ method: 'GET', path: hostPaths.events, signal: either })
    if (response.statusCode >= 400) throw hostAnswerUnknown({ status: response.statusCode })
    let rest = ''
    const decoder = new TextDecoder()
    for await (const part of response.body) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), eventSilenceMs)
      const lines = (rest + decoder.decode(part as Uint8Array, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const event = hostEventSchema.safeParse(parseJson(line))
        // An event of a newer host that this server does not know changes nothing here.
        if (event.success) yield event.data
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

function undefinedIfNotFound(error: unknown): undefined {
  if ((error as { kind?: unknown }).kind === 'not-found') return undefined
  throw error
}
