import {
  guestPaths,
  type Manifest,
  manifestSchema,
  type RescueReport,
  rescueReportSchema,
} from '@threadbox/protocol/guest'
import type { z } from 'zod'
import { parseJson } from '../../platform/system/parse-json.ts'
import type { HostClient } from '../host/host-client.ts'
import { guestAnswerUnknown } from './lifecycle.errors.ts'

/** One boot of a sandbox. */
export type BootTarget = { sandboxId: string; bootId: string }

/** What the server asks a running guest about itself. All of it is input that nobody vouches for. */
export type GuestQuestions = {
  manifest(target: BootTarget, options: { hashKey: string; signal: AbortSignal }): Promise<Manifest>
  /** As `manifest`, in some milliseconds: see `glance` there. */
  glance(target: BootTarget, options: { hashKey: string; signal: AbortSignal }): Promise<Manifest>
  rescue(target: BootTarget, signal: AbortSignal): Promise<RescueReport>
  /** Starts a process again that ended with the memory. */
  startRescued(target: BootTarget, id: string): Promise<void>
}

/** More than this is no manifest: a guest that sends it is not to fill the server's memory. */
const maxAnswerBytes = 64 * 1024 * 1024
/** It comes after every answer, and what is kept of it is far less. */
const maxGlanceBytes = 2 * 1024 * 1024

export function makeGuestQuestions(host: HostClient): GuestQuestions {
  const ask = async <Schema extends z.ZodType>(
    schema: Schema,
    target: BootTarget,
    request: { path: string; query?: Record<string, string>; signal: AbortSignal; maxBytes?: number },
  ): Promise<z.infer<Schema>> => {
    const { maxBytes = maxAnswerBytes, ...asked } = request
    const response = await host.guest(target, { method: 'GET', ...asked })
    const body = await boundedText(response.body, maxBytes)
    if (response.statusCode >= 400) throw guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` })
    const parsed = schema.safeParse(parseJson(body))
    if (!parsed.success) throw guestAnswerUnknown({ problem: 'its format is unknown' }, { cause: parsed.error })
    return parsed.data
  }
  return {
    manifest: (target, { hashKey, signal }) =>
      ask(manifestSchema, target, { path: guestPaths.manifest, query: { hashKey }, signal }),
    glance: (target, { hashKey, signal }) =>
      ask(manifestSchema, target, {
        path: guestPaths.manifest,
        query: { hashKey, glance: '1' },
        signal,
        maxBytes: maxGlanceBytes,
      }),
    rescue: (target, signal) => ask(rescueReportSchema, target, { path: guestPaths.rescue, signal }),
    startRescued: async (target, id) => {
      const response = await host.guest(target, { method: 'POST', path: guestPaths.startRescued(id) })
      await response.body.dump()
      if (response.statusCode >= 400) throw guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` })
    },
  }
}

async function boundedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > maxBytes) throw guestAnswerUnknown({ problem: 'it is too long' })
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
