import type { BadInputRow } from '../../../apps/server/src/bad-input.row.test-utils.ts'

/** A binary body: the file that a reader sends, and its type if the route needs it. */
const files: Readonly<Record<string, { name: string; type?: string }>> = {
  'PUT /threads/{threadId}/uploads': { name: 'sales.csv' },
  'PUT /threads/{threadId}/files/content': { name: 'notes.txt' },
  'POST /skills': { name: 'SKILL.md', type: 'text/markdown' },
  'PUT /skills/{skillId}/content': { name: 'SKILL.md', type: 'text/markdown' },
  'POST /agents/import': { name: 'weather.threadbox-agent' },
}
/** Responses that are saved as a file. */
const downloads: Readonly<Record<string, string>> = {
  'GET /threads/{threadId}/files/archive': 'folder.zip',
  'GET /skills/{skillId}/archive': 'skill.zip',
  'GET /agents/{agentId}/versions/{version}/export': 'weather.threadbox-agent',
  'GET /threads/{threadId}/export': 'thread.html',
}
/**
 * What replaces the values of the tests. `$name` is a variable of the reader’s shell, for what only an earlier request
 * or page gives.
 */
const values: Readonly<Record<string, { query?: Record<string, string>; body?: Record<string, string> }>> = {
  'POST /auth/sign-up': { body: { token: '$token' } },
  'POST /auth/cookies/restore': { body: { token: '$restoreToken' } },
  'POST /auth/confirm': { body: { password: 'correct horse battery' } },
  'POST /auth/password': { body: { currentPassword: 'correct horse battery' } },
  'POST /shared-threads/look': { body: { secret: '$secret' } },
  'POST /shared-threads/copy': { body: { secret: '$secret' } },
  'POST /threads/{threadId}/files/copies': { body: { fromThreadId: '$otherThreadId' } },
  'GET /threads/{threadId}/rewind': { query: { before: '$entryId' } },
  'POST /threads/{threadId}/rewind': { body: { entryId: '$entryId' } },
  'POST /threads/{threadId}/rewind/undo': { body: { rewindId: '$rewindId' } },
  'POST /agent-drafts/{draftId}/accept': { body: { sha256: '$sha256' } },
  'POST /auth/link': { body: { secret: '$secret' } },
  'POST /auth/join': { body: { secret: '$secret', email: 'colleague@example.com' } },
  'POST /auth/reset': { body: { secret: '$secret' } },
  'POST /auth/providers/start': { body: { providerId: '$providerId' } },
  'POST /auth/confirm/provider': { body: { providerId: '$providerId' } },
  'POST /auth/identities': { body: { providerId: '$providerId' } },
  'POST /people/{personId}/hand-over': { body: { to: '$to' } },
  'POST /threads/{threadId}/hand-over': { body: { to: '$to' } },
  'PUT /ownership-offer': { body: { personId: '$personId' } },
  'POST /connections/login': { body: { state: '$state', code: '$code' } },
}
const upgrade = [
  '--http1.1',
  "-H 'Connection: Upgrade'",
  "-H 'Upgrade: websocket'",
  "-H 'Sec-WebSocket-Version: 13'",
  "-H 'Sec-WebSocket-Key: dGhyZWFkYm94LWV4YW1wbA=='",
  '-H "Origin: $origin"',
]

/** Defines the variables of the page’s requests. The key is the reader’s. */
export const preparation = `origin=http://127.0.0.1:7717
url=$origin/api/v1
api() { curl -sS -H "Authorization: Bearer $THREADBOX_API_KEY" "$@"; }
session() { curl -sS -b cookies -c cookies -H "Origin: $origin" "$@"; }`

/**
 * The request of a route as a shell command: the one that the bad-input tests start from, with the ids of the path as
 * variables. `session` sends a browser’s session, which a few routes need.
 */
export function requestOf(route: string, row: BadInputRow & { isSessionOnly: boolean }): string {
  const [method = '', path = ''] = route.split(' ')
  const file = files[route]
  const download = downloads[route]
  const isSocket = path.endsWith('/socket')
  const { query: ownQuery, body: ownBody } = values[route] ?? {}
  const query = new URLSearchParams({ ...row.query, ...ownQuery }).toString().replaceAll('%24', '$')
  const body = row.body === undefined ? undefined : { ...row.body, ...ownBody }
  const words = [
    row.isSessionOnly || route === 'POST /auth/sign-in' ? 'session' : row.isPublic === true ? 'curl -sS' : 'api',
    ...(isSocket ? upgrade : []),
    ...(path.endsWith('/events') ? ['-N'] : []),
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `"$url${variables(path, row)}${query === '' ? '' : `?${query}`}"`,
    ...(download === undefined ? [] : [`-o ${download}`]),
    ...(file?.type === undefined ? [] : [`-H 'Content-Type: ${file.type}'`]),
    ...(file === undefined ? [] : [`--data-binary @${file.name}`]),
    ...(body === undefined ? [] : [`--json ${quoted(JSON.stringify(readable(body)))}`]),
  ]
  return wrap(words)
}

/** The text as one word of the shell. Values that are a variable are outside the quotes. */
function quoted(json: string): string {
  return `'${json.replaceAll("'", "'\\''").replaceAll(/"\$(\w+)"/g, `"'"$$$1"'"`)}'`
}

/** Replaces names from the tests with ones that a reader would write. */
function readable(body: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(body).replaceAll('somebody', 'you')) as Record<string, unknown>
}

function variables(path: string, row: BadInputRow): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = row.params?.[name]
    return typeof value === 'object' && !/Id$/.test(name) ? value.value : `$${name}`
  })
}

function wrap(words: readonly string[]): string {
  const line = words.join(' ')
  if (line.length <= 90) return line
  const [last = '', ...before] = [...words].reverse()
  return `${before.reverse().join(' ')} \\\n  ${last}`
}
