import { isSessionOnly } from '../../../apps/server/src/bad-input.classes.test-utils.ts'
import { badInputRows } from '../../../apps/server/src/bad-input.rows.test-utils.ts'
import { preparation, requestOf } from './api-requests.ts'
import { frontMatter, prose, row } from './markdown.ts'

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  default?: unknown
}
type Operation = {
  security?: Record<string, string[]>[]
  tags?: string[]
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string }>
}
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** In reading order. */
const sections: Readonly<Record<string, string>> = {
  threads: 'Threads',
  conversation: 'Messages and turns',
  content: 'Outputs and attachments',
  sandbox: 'Sandbox',
  network: 'Network policies',
  secrets: 'Secrets',
  files: 'Files',
  services: 'Services',
  previews: 'Previews',
  terminals: 'Terminals',
  git: 'Git',
  snapshots: 'Forks, rewinds and snapshots',
  workspaces: 'Workspaces',
  agents: 'Agents',
  runs: 'Runs',
  skills: 'Skills',
  connections: 'Connections',
  models: 'Models',
  usage: 'Usage',
  people: 'People',
  quotas: 'Limits of people',
  'sign-in': 'Signing in at providers',
  leaving: 'People who leave',
  account: 'Account',
  passkeys: 'Passkeys',
  machine: 'Machine',
  installation: 'Installation',
}

/** Routes that only a browser can use, at an address that can have passkeys. */
const inBrowser = new Set([
  'POST /auth/passkey/request',
  'POST /auth/passkey',
  'POST /auth/confirm/request',
  'POST /passkeys/request',
  'POST /passkeys',
  'PATCH /passkeys/{passkeyId}',
  'DELETE /passkeys/{passkeyId}',
])

/** The page of all routes: what each does, its input and its response, with a request. */
export function apiPage(document: OpenApi): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = Map.groupBy(routes, ({ operation }) => operation.tags?.[0] ?? 'installation')
  const unknown = [...groups.keys()].filter((tag) => !(tag in sections))
  if (unknown.length > 0) throw new Error(`api-page.ts has no title for the routes of ${unknown.join(', ')}.`)
  const parts = Object.entries(sections).map(([tag, title]) => {
    const members = (groups.get(tag) ?? []).map(({ method, path, operation }) =>
      routePart({ method, path, operation, document }),
    )
    return [`## ${title} {#${tag}}`, ...members].join('\n\n')
  })
  return `${frontMatter({ title: 'API', description: 'Every route of the API, with a request for each.', headings: 2 })}
${introduction}
${parts.join('\n\n')}
`
}

/** The anchor of a route: `GET /threads/{threadId}` is `get-threads-threadId`. */
export function routeAnchor(method: string, path: string): string {
  return `${method.toLowerCase()}${path.replaceAll(/[/{}]+/g, '-').replace(/-$/, '')}`
}

const introduction = `Everything the app does goes through this API, and programs use the same one. Its address is \`/api/v1\` below the
app’s. \`GET /api/v1/openapi.json\` has the OpenAPI document that this page is generated from.

## Before the first request {#prepare}

Create a key in **Settings**, **API keys**. It is shown once, and it can do what its [scopes](#scopes) say. Then define what the requests on this page use:

\`\`\`sh
${preparation}
\`\`\`

IDs in a path are shell variables, such as \`$threadId\`. This creates a thread, runs a command in its sandbox, and reads
the conversation (\`jq\` reads the JSON):

\`\`\`sh
threadId=$(api "$url/threads" --json '{}' | jq -r .id)
api "$url/threads/$threadId/messages" --json '{"text":"/run uname -a","key":"first-message"}'
api "$url/threads/$threadId/entries" | jq '.entries[] | {kind, status}'
\`\`\`

- \`key\` makes a message safe to repeat: the same key sent twice is one message.
- What happens comes as [events](/docs/build/events/).
- Requests are strict: an unknown field is refused. Responses can get new fields; ignore what you don’t know.
- Lists respond with a page and \`next\` or \`before\`. Pass it on as it is.
- Times are milliseconds since 1970.

## Errors {#errors}

Every failure has one form, and the HTTP status follows from \`kind\`. Tell errors apart by \`code\`, never by the text. All
codes are in [Errors](/docs/operate/errors/).

\`\`\`json output
{ "error": { "code": "thread.not-found", "kind": "not-found", "message": "…", "remedy": "…", "details": {}, "requestId": "…" } }
\`\`\`

What belongs to someone else gets the same response as what doesn’t exist. \`requestId\` is also the header
\`threadbox-request-id\` and is in the server’s log.

## Scopes {#scopes}

Each route below names what it needs. A key has scopes and expires after 90 days unless you choose otherwise:

| Scope | Allows |
|---|---|
| \`read\` | read threads, files, agents, runs, workspaces and models |
| \`work\` | work in threads and sandboxes |
| \`approve\` | respond to calls that wait for approval |
| \`share\` | create and revoke share links |
| \`agents\` | edit and run agents and skills |
| \`workspace\` | edit workspaces |
| \`admin\` | read and change settings |
| \`machine\` | see the state of the host |
| \`metrics\` | read metrics |
| \`audit\` | read the audit log |

No key can create keys, enter secrets or addresses of models, or allow a tool for good. That needs a session whose person
signed in, or sent \`POST /auth/confirm\`, within the last 10 minutes; otherwise the response is
\`auth.confirmation-required\`. Keys from before scopes have \`read\`, \`work\`, \`share\`, \`agents\` and \`workspace\`.
**Settings**, **API keys** shows which calls a key was refused in the last 30 days.

A key can be limited to workspaces (\`workspaceIds\`, none: not limited). It then reaches only what is in them: everything
else, also what is in no workspace, gets the same response as what doesn’t exist, and is in no list and no event. A new
thread or agent must name one of them as \`workspaceId\`, and moves to no other place; otherwise the response is
\`auth.outside-workspaces\`, as it is to calls about the installation (status, settings, audit) and about Git credentials.
A key whose workspaces were all deleted reaches nothing.

## Browsers {#browsers}

Browsers have a session cookie instead of a key. A request that changes something must then name the app’s exact
\`Origin\`. A few routes need a session; their requests use \`session\`, after a sign-in with
[\`POST /auth/sign-in\`](#post-auth-sign-in).
`

/** Who can send the request, from the operation’s security requirement. */
function needsPart({ security = [] }: Operation): string[] {
  const [first] = security
  if (first === undefined) return ['Needs: nothing.']
  if (first.apiKey !== undefined) return [`Needs: a key with the scope \`${first.apiKey.join(' ')}\`, or a session.`]
  const isConfirmed = first.session?.includes('confirmed') === true
  return [isConfirmed ? 'Needs: a session that was [confirmed](#scopes) within 10 minutes.' : 'Needs: a session.']
}

function routePart(route: { method: string; path: string; operation: Operation; document: OpenApi }): string {
  const { method, path, operation, document } = route
  const name = `${method} ${path}`
  const example = badInputRows[name]
  if (example === undefined) throw new Error(`${name} has no row in bad-input.rows.test-utils.ts.`)
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description }]) => `\`${status}\` ${prose(description)}`)
  return [
    `### \`${name}\` {#${routeAnchor(method, path)}}`,
    `${prose(operation.summary ?? '')}.`.replace('..', '.'),
    inBrowser.has(name)
      ? 'A browser sends this, with what its device signs: see `passkeys` of the [SDK](/docs/build/sdk/).'
      : `\`\`\`sh\n${requestOf(name, { ...example, isSessionOnly: isSessionOnly(operation) })}\n\`\`\``,
    ...needsPart(operation),
    ...fieldsPart(operation, document),
    `Response: ${answers.join(' Or ')}`,
  ].join('\n\n')
}

/** The fields of a request besides the ids of the path. */
function fieldsPart(operation: Operation, document: OpenApi): string[] {
  const parameters = (operation.parameters ?? [])
    .filter((parameter) => parameter.in !== 'path')
    .map((parameter) => ({ ...parameter, where: parameter.in, isRequired: parameter.required === true }))
  const body = resolve(operation.requestBody?.content['application/json']?.schema, document)
  const fields = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    where: 'body',
    isRequired: body?.required?.includes(name) === true,
    schema,
  }))
  const rows = [...parameters, ...fields].map(({ name, where, isRequired, schema }) =>
    row([`\`${name}\`${isRequired ? ' (required)' : ''}`, where, typeOf(schema, document)]),
  )
  return rows.length === 0 ? [] : [['| Field | In | Value |', '|---|---|---|', ...rows].join('\n')]
}

function resolve(schema: Schema | undefined, document: OpenApi): Schema | undefined {
  if (schema?.$ref === undefined) return schema
  return document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
}

function typeOf(schema: Schema, document: OpenApi, depth = 0): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map((one) => typeOf(one, document, depth)))].join(' or ')
  if (schema.$ref !== undefined) {
    const target = resolve(schema, document)
    return target === undefined || depth > 0 ? 'object' : typeOf(target, document, depth + 1)
  }
  const types = [schema.type ?? 'any'].flat()
  const range = rangeOf(schema)
  if (types.includes('array')) {
    return `array of ${schema.items === undefined ? 'any' : typeOf(schema.items, document, depth + 1)}`
  }
  if (types.includes('object') && schema.properties !== undefined && depth === 0) {
    return `object with ${Object.keys(schema.properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`
  }
  const named = types.filter((type) => type !== 'null').join(' or ')
  return `${named}${range}${types.includes('null') ? ', or `null`' : ''}`
}

function rangeOf(schema: Schema): string {
  const isLimit = (value: number | undefined) => value !== undefined && Math.abs(value) < 2 ** 53 - 1
  const unit = schema.maxLength !== undefined ? ' characters' : ''
  const [low, high] = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength]
  if (isLimit(low) && isLimit(high)) return ` from ${low} to ${high}${unit}`
  if (isLimit(high)) return ` up to ${high}${unit}`
  return isLimit(low) ? ` from ${low}` : ''
}
