import {
  guestPaths,
  type Manifest,
  manifestSchema,
  parseGuestJson,
  type RescueReport,
  rescueReportSchema,
} from '@threadbox/protocol/guest'
import type { z } from 'zod'
import { readAtMost } from '../host/guest-transport.ts'
import { guestAnswerUnknown } from '../host/host.errors.ts'
import type { HostClient } from '../host/host-client.ts'

/** One boot of a sandbox. */
export type BootTarget = { sandboxId: string; bootId: string }

/** Questions of the server to a running guest about itself. The responses are unverified input. */
export type GuestQuestions = {
  /** What is alive in the sandbox. Ends and frees nothing: no pause follows. */
  manifest(target: BootTarget, options: { hashKey: string; signal: AbortSignal }): Promise<Manifest>
  /** Like `manifest`, in some milliseconds: see `glance` there. */
  quickManifest(target: BootTarget, options: { hashKey: string; signal: AbortSignal }): Promise<Manifest>
  rescue(target: BootTarget, signal: AbortSignal): Promise<RescueReport>
  /** Restarts a process that ended with the memory. */
  startRescued(target: BootTarget, id: string): Promise<void>
}

/**
 * Limit of a response, so that a guest cannot fill the server’s memory. A guest cuts its manifest to 3.5 MiB; a rescue
 * report names at most what was kept of one sandbox.
 */
const maxResponseBytes = 4 * 1024 * 1024
/** A quick manifest is read after every turn, and far less of it is stored. */
const maxQuickManifestBytes = 2 * 1024 * 1024

export function makeGuestQuestions(host: HostClient): GuestQuestions {
  const ask = async <Schema extends z.ZodType>(
    schema: Schema,
    target: BootTarget,
    request: { path: string; query?: Record<string, string>; signal: AbortSignal; maxBytes?: number },
  ): Promise<z.infer<Schema>> => {
    const { maxBytes = maxResponseBytes, ...asked } = request
    const response = await host.guest(target, { method: 'GET', ...asked })
    const { text, isCut } = await readAtMost(response.body, maxBytes)
    if (isCut) throw guestAnswerUnknown({ problem: 'it is too long' })
    if (response.statusCode >= 400) throw guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` })
    const parsed = schema.safeParse(valueIn(text))
    if (!parsed.success) throw guestAnswerUnknown({ problem: 'its format is unknown' }, { cause: parsed.error })
    return parsed.data
  }
  return {
    manifest: (target, { hashKey, signal }) =>
      ask(manifestSchema, target, { path: guestPaths.manifest, query: { hashKey, keep: '1' }, signal }),
    quickManifest: (target, { hashKey, signal }) =>
      ask(manifestSchema, target, {
        path: guestPaths.manifest,
        query: { hashKey, glance: '1' },
        signal,
        maxBytes: maxQuickManifestBytes,
      }),
    rescue: (target, signal) => ask(rescueReportSchema, target, { path: guestPaths.rescue, signal }),
    startRescued: async (target, id) => {
      const response = await host.guest(target, { method: 'POST', path: guestPaths.startRescued(id) })
      response.body.on('error', () => undefined).destroy()
      if (response.statusCode >= 400) throw guestAnswerUnknown({ problem: `HTTP status ${response.statusCode}` })
    },
  }
}

function valueIn(text: string): unknown {
  try {
    return parseGuestJson(text)
  } catch (error) {
    const problem = error instanceof RangeError ? error.message : 'it is not JSON'
    throw guestAnswerUnknown({ problem }, { cause: error })
  }
}
