import { request as httpRequest } from 'node:http'
import { type GuestAddress, guestRequestFailed } from '@threadbox/protocol/gateway'
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
  parseGuestJson,
  type RescueReport,
  type RescueRequest,
  rescueReportSchema,
} from '@threadbox/protocol/guest'
import { z } from 'zod'
import { type OpenBoot, trackConnection } from './admitted-boots.ts'

/** A guest that the host sends a request to: one that is admitted, or one woken for the host alone. */
export type AskedGuest = GuestAddress & Partial<Pick<OpenBoot, 'connections'>>

/** A manifest of 10,000 processes and variables is a few megabytes; a guest is not trusted to respect that. */
const longestAnswerBytes = 4 * 1024 * 1024

export async function readManifest(
  guest: AskedGuest,
  { hashKey, signal }: { hashKey: string; signal: AbortSignal },
): Promise<Manifest> {
  const path = `${guestPaths.manifest}?hashKey=${encodeURIComponent(hashKey)}`
  return await ask(guest, { method: 'GET', path, signal, answer: manifestSchema })
}

export async function readActivity(
  guest: AskedGuest,
  { forRest, signal }: { forRest: boolean; signal: AbortSignal },
): Promise<GuestActivity> {
  const path = forRest ? `${guestPaths.activity}?rest=1` : guestPaths.activity
  return await ask(guest, { method: 'GET', path, signal, answer: guestActivitySchema })
}

export async function reportDiskSpace(
  guest: AskedGuest,
  { space, signal }: { space: DiskSpace; signal: AbortSignal },
): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.disk, signal, body: JSON.stringify(space), answer: ignored })
}

export async function rescue(
  guest: AskedGuest,
  { budgets, signal }: { budgets: RescueRequest; signal: AbortSignal },
): Promise<RescueReport> {
  const body = JSON.stringify(budgets)
  return await ask(guest, { method: 'POST', path: guestPaths.rescue, signal, body, answer: rescueReportSchema })
}

/** Node reads a request into one buffer of 64 KiB, which it keeps: some of so many reads overwrite it. */
const paddingBytes = 768 * 1024

/** Clears from memory what use has left there, after saving what can be kept as `rescue` says. */
export async function askToForget(
  guest: AskedGuest,
  { rescue: wanted, signal }: { rescue: RescueRequest | null; signal: AbortSignal },
): Promise<RescueReport | null> {
  const body = JSON.stringify({ rescue: wanted, padding: ' '.repeat(paddingBytes) })
  const answer = { method: 'POST', path: guestPaths.forget, signal, body, answer: forgottenSchema } as const
  return (await ask(guest, answer)).rescue
}

/** Has the guest of a spare start what its first user would otherwise wait for. */
export async function prewarm(guest: AskedGuest, signal: AbortSignal): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.prewarm, signal, answer: ignored })
}

/** Has the guest of a spare forget its settings; from then on it waits for its first handshake. */
export async function becomeTemplate(guest: AskedGuest, signal: AbortSignal): Promise<void> {
  await ask(guest, { method: 'POST', path: guestPaths.template, signal, answer: ignored })
}

/** A response that only has to be valid JSON. */
const ignored = z.unknown()

type GuestRequest<Value> = {
  method: 'GET' | 'POST'
  path: string
  signal: AbortSignal
  body?: string
  answer: z.ZodType<Value>
}

/** Throws `gateway.guest-failed`, or the signal’s reason. */
async function ask<Value>(guest: AskedGuest, request: GuestRequest<Value>): Promise<Value> {
  try {
    return request.answer.parse(parseGuestJson(await send(guest, request)))
  } catch (error) {
    request.signal.throwIfAborted()
    throw guestRequestFailed({ reason: reasonOf(error, request.path) }, { cause: error })
  }
}

function reasonOf(error: unknown, path: string): string {
  if (error instanceof z.ZodError) return `its response to ${path.split('?')[0]} has an unknown form`
  if (error instanceof SyntaxError) return `its response to ${path.split('?')[0]} is not JSON`
  if (error instanceof RangeError) return `its response to ${path.split('?')[0]} can’t be used: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}

async function send(guest: AskedGuest, options: Omit<GuestRequest<unknown>, 'answer'>): Promise<string> {
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
      if (length <= longestAnswerBytes) return void chunks.push(chunk)
      // First, because a response that has arrived completely also ends.
      reject(new Error(`the response to ${path} is too long`))
      response.destroy()
    })
    response.once('error', reject)
    response.once('end', () => {
      const text = Buffer.concat(chunks).toString()
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`the guest answered ${response.statusCode}: ${text.slice(0, 200)}`))
    })
  })
  const { connections } = guest
  if (connections !== undefined) request.once('socket', (socket) => trackConnection({ connections }, socket))
  request.once('error', reject)
  request.end(body)
  return await promise
}
