import { keyScopes } from '@threadbox/domain'
import { createClient, type ThreadboxClient } from '@threadbox/sdk'
import type { TestInstallation } from '../installation.ts'

/** A person with an account and a key of their own. */
export type Colleague = { userId: string; client: ThreadboxClient }

const password = 'correct horse battery staple'

/** Invites people, who join with their links, and makes them members of one workspace. */
export async function inviteColleagues(
  { server }: Pick<TestInstallation, 'server'>,
  count: number,
): Promise<{ colleagues: Colleague[]; workspaceId: string }> {
  const asOwner = (method: string, path: string, body: object) =>
    answerOf(server.asOwner(`${server.loopbackOrigin}/api/v1${path}`, { ...jsonOf(body), method }))
  const { id: workspaceId } = await asOwner('POST', '/workspaces', { name: 'Team' })
  const colleagues: Colleague[] = []
  for (let number = 1; number <= count; number++) {
    const { path = '' } = await asOwner('POST', '/invites', {})
    const colleague = await join(server, { number, secret: path.split('#')[1] ?? '' })
    await asOwner('PUT', `/workspaces/${workspaceId}/members/${colleague.userId}`, { role: 'member' })
    colleagues.push(colleague)
  }
  return { colleagues, workspaceId: workspaceId ?? '' }
}

async function join(
  { loopbackOrigin }: Pick<TestInstallation['server'], 'loopbackOrigin'>,
  { number, secret }: { number: number; secret: string },
): Promise<Colleague> {
  const send = async (path: string, body: object, cookie = '') =>
    await fetch(`${loopbackOrigin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: loopbackOrigin, cookie },
      body: JSON.stringify(body),
    })
  const account = { secret, name: `Colleague ${number}`, email: `colleague-${number}@example.com`, password }
  const joined = await send('/auth/join', account)
  const cookie = joined.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  await answerOf(joined)
  const key = {
    name: 'Work',
    scopes: keyScopes.filter((scope) => !['admin', 'machine', 'metrics', 'audit'].includes(scope)),
  }
  const { secret: apiKey = '' } = await answerOf(send('/api-keys', key, cookie.join('; ')))
  const client = createClient({ baseUrl: loopbackOrigin, apiKey })
  return { userId: (await client.account.me()).id, client }
}

const jsonOf = (body: object) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

async function answerOf(request: Response | Promise<Response>): Promise<Record<string, string | undefined>> {
  const response = await request
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`)
  return response.status === 204 ? {} : ((await response.json()) as Record<string, string | undefined>)
}
