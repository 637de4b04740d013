import { request as httpRequest } from 'node:http'
import {
  accessTokenHeader,
  type DiskSpace,
  forgottenSchema,
  type GuestActivity,
  guestActivitySchema,
  guestPaths,
  guestPort,
  type Manifest,
  manifestSchema,
  type RescueReport,
  type RescueRequest,
  rescueReportSchema,
} from '@threadbox/protocol/guest'
import { type ActiveBoot, trackConnection } from './active-boots.ts'

/** A guest that the host sends a request to: one that serves, or one woken for the host alone. */
export type AskedGuest = Pick<ActiveBoot, 'address' | 'accessToken' | 'connections'>

/** The longest response that is read: a manifest of 10,000 processes and variables. The guest is not trusted. */
const longestAnswerBytes = 4 * 1024 * 1024

export async function readManifest(
  guest: AskedGuest,
  { hashKey, signal }: { hashKey: string; signal: AbortSignal },
): Promise<Manifest> {
  const path = `${guestPaths.manifest}?hashKey=${hashKey}`
  return manifestSchema.parse(await ask(guest, { method: 'GET', path, signal }))
}

export async function readActivity(guest: AskedGuest, signal: AbortSignal): Promise<GuestActivity> {
  return guestActivitySchema.parse(await ask(guest, { method: 'GET', path: guestPaths.activity, signal }))
}

export async function reportDiskSpace(
  guest: AskedGuest,
  { space, signal }: { space: DiskSpace; signal: AbortSignal },
): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.disk, signal, body: JSON.stringify(space) })
}

export async function rescue(
  guest: AskedGuest,
  { budgets, signal }: { budgets: RescueRequest; signal: AbortSignal },
): Promise<RescueReport> {
  const body = JSON.stringify(budgets)
  return rescueReportSchema.parse(await ask(guest, { method: 'POST', path: guestPaths.rescue, signal, body }))
}

/** Node reads a request into one buffer of 64 KiB, which it keeps: some of so many reads overwrite it. */
const paddingBytes = 768 * 1024

/** Clears from memory what use has left there, after saving what can be kept as `rescue` says. */
export async function askToForget(
  guest: AskedGuest,
  { rescue: wanted, signal }: { rescue: RescueRequest | null; signal: AbortSignal },
): Promise<RescueReport | null> {
  const body = JSON.stringify({ rescue: wanted, padding: ' '.repeat(paddingBytes) })
  const answer = await ask(guest, { method: 'POST', path: guestPaths.forget, signal, body })
  return forgottenSchema.parse(answer).rescue
}

/** Has the guest of a spare start what its first user would otherwise wait for. */
export async function prewarm(guest: AskedGuest, signal: AbortSignal): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.prewarm, signal })
}

/** Has the guest of a spare forget its settings; from then on it waits for its first handshake. */
export async function becomeTemplate(guest: AskedGuest, signal: AbortSignal): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.template, signal })
}

const maxEntries = 20_000
const maxDepth = 32

/** Parses JSON. Throws if a list or an object has more than 20,000 entries, or if it is nested more than 32 levels. */
function boundedJson(text: string, path: string): unknown {
  const value: unknown = JSON.parse(text)
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new Error(`the response to ${path} is nested too deeply`)
    level = level.flatMap((one) => {
      const children = typeof one === 'object' && one !== null ? Object.values(one) : []
      if (children.length > maxEntries) throw new Error(`the response to ${path} has too many entries`)
      return children.filter((child) => typeof child === 'object' && child !== null)
    })
  }
  return value
}

async function ask(
  guest: AskedGuest,
  options: { method: 'GET' | 'POST'; path: string; signal: AbortSignal; body?: string },
): Promise<unknown> {
  const { method, path, signal, body } = options
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = {
    [accessTokenHeader]: guest.accessToken,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  const target = { host: guest.address, port: guestPort, method, path, headers, signal, agent: false as const }
  const request = httpRequest(target, (response) => {
    const chunks: Buffer[] = []
    let length = 0
    response.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > longestAnswerBytes) response.destroy(new Error(`the response to ${path} is too long`))
      else chunks.push(chunk)
    })
    response.once('error', reject)
    response.once('end', () => {
      const text = Buffer.concat(chunks).toString()
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`the guest answered ${response.statusCode}: ${text.slice(0, 200)}`))
    })
  })
  request.once('socket', (socket) => trackConnection(guest, socket))
  request.once('error', reject)
  request.end(body)
  return boundedJson(await promise, path)
}
