import { waitAtMost } from '@threadbox/concurrency'
import type { ThreadboxError } from '@threadbox/errors'
import type { PreviewCheck, PreviewProblem } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import { makePassSecret } from './pass-secrets.ts'
import type { PreviewNames } from './preview-names.logic.ts'
import {
  previewCookiesBlocked,
  previewNamesLocal,
  previewNamesMissing,
  previewNamesUnreachable,
  previewNamesUntrusted,
  previewNoName,
  previewOtherName,
  previewSocketsBlocked,
} from './previews.errors.ts'

/** A resolver that takes longer counts as unknown, and the check continues. */
const lookUpMs = 2000

/** Resolves a name on this machine; null if it has no address, undefined if that is unknown now. */
export type LookUpName = (name: string) => Promise<string | null | undefined>

export type PreviewChecks = {
  /** Returns what a browser needs to check previews itself. `host` is the name under which it reached the server. */
  prepare(options: { host: string }): Promise<PreviewCheck>
}

export function makePreviewChecks(parts: {
  names: PreviewNames
  lookUp: LookUpName
  system: Pick<System, 'randomBytes'>
}): PreviewChecks {
  const { names, system } = parts
  return {
    prepare: async ({ host }) => {
      const obstacle = names.obstacle(host)
      const origin = names.checkOrigin(host)
      const query = new URLSearchParams({ id: makePassSecret(system), app: names.ownOrigin(host) })
      const { wildcard } = names
      return {
        url: obstacle === undefined ? `${origin}/.threadbox/check?${query}` : null,
        origin: obstacle === undefined ? origin : null,
        unavailable: obstacle === undefined ? null : asProblem(obstacleError(names, { host, obstacle })),
        problems: {
          unreachable: asProblem(await unreachable(parts, host)),
          cookies: asProblem(previewCookiesBlocked({ wildcard })),
          sockets: asProblem(previewSocketsBlocked({ wildcard })),
        },
      }
    },
  }
}

function obstacleError(names: PreviewNames, at: { host: string; obstacle: 'other-name' | 'no-name' }) {
  const address = names.appOrigin(at.host)
  return at.obstacle === 'no-name'
    ? previewNoName({ port: new URL(address).port || '80' })
    : previewOtherName({ address })
}

/** The most likely reason why a browser that has the app does not reach a preview. */
async function unreachable(
  { names, lookUp }: { names: PreviewNames; lookUp: LookUpName },
  host: string,
): Promise<ThreadboxError> {
  const { hostname, host: name, protocol } = new URL(names.checkOrigin(host))
  const { wildcard, hasLocalNames } = names
  const isSecure = protocol === 'https:'
  if (hasLocalNames && !isSecure) return previewNamesLocal({ name: hostname })
  const found = hasLocalNames ? undefined : await lookUpInTime(lookUp, hostname)
  if (found === null) return previewNamesMissing({ wildcard })
  return isSecure ? previewNamesUntrusted({ name, wildcard }) : previewNamesUnreachable({ name, wildcard })
}

async function lookUpInTime(lookUp: LookUpName, name: string): Promise<string | null | undefined> {
  let found: string | null | undefined
  await waitAtMost(lookUpMs, {
    work: lookUp(name).then((address) => {
      found = address
    }),
  })
  return found
}

function asProblem({ code, message, remedy, details }: ThreadboxError): PreviewProblem {
  const texts = Object.entries(details).map(([name, value]) => [name, String(value)])
  return { code, message, remedy, details: Object.fromEntries(texts) }
}
