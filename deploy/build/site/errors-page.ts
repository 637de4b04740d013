import { errorKinds } from '@threadbox/errors'
import type { FoundError } from '../docs-sources.ts'
import { code, frontMatter, prose, row } from './markdown.ts'

/** What the app and the SDK report themselves, because no server responded with an error. */
export const ownErrors: readonly Omit<FoundError, 'path'>[] = [
  {
    code: 'server.unreachable',
    kind: 'unavailable',
    message: 'The server didn’t respond.',
    remedy: 'Check the connection and try again.',
  },
  {
    code: 'server.answer-unknown',
    kind: 'unavailable',
    message: 'The server responded with status {status} and no details.',
    remedy: 'A proxy may have responded instead of the server. Try again.',
  },
  {
    code: 'app.unexpected',
    kind: 'internal',
    message: 'Something failed in the app.',
    remedy: 'Reload the page. If it keeps happening, the browser’s console has the details.',
  },
]

/** Every error under an anchor that is its code. */
export function siteErrorsPage(defined: readonly FoundError[]): string {
  const errors = [...defined, ...ownErrors].toSorted((one, other) => (one.code < other.code ? -1 : 1))
  const kinds = Object.entries(errorKinds).map(([kind, facts]) =>
    row([code(kind), String(facts.httpStatus), String(facts.exitCode), facts.retryable ? 'yes' : 'no']),
  )
  const groups = Map.groupBy(errors, (error) => error.code.split('.')[0] ?? '')
  const parts = [...groups].map(([noun, members]) =>
    [`## ${noun} {#group-${noun}}`, ...members.map(errorPart)].join('\n\n'),
  )
  const description = 'Every error code, what happened, and what to do.'
  return `${frontMatter({ title: 'Errors', description, headings: 2 })}
Codes are permanent. Words in braces are filled in. The kind decides the HTTP status, the exit code of the command line,
and whether the same call can succeed when it is repeated.

## Kinds {#kinds}

| Kind | HTTP | Exit code | Try again |
|---|---|---|---|
${kinds.join('\n')}

${parts.join('\n\n')}
`
}

function errorPart({ code: name, kind, message, remedy }: Omit<FoundError, 'path'>): string {
  return `### \`${name}\` {#${name}}

${prose(message)}

**What to do:** ${prose(remedy)} (${code(kind)})`
}
