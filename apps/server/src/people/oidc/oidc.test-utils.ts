import type {
  CreateSignInProvider,
  GroupMapping,
  SignInProvider,
  StartedProviderSignIn,
} from '@threadbox/protocol/public'
import { cookieOf, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

type Refusal = { error?: { code: string } }
type Issuer = { url: string; client: { id: string; secret: string }; visit(url: string, person?: string): Promise<URL> }

/** How a sign-in ended: with a person, or with the code on the sign-in page. */
export type Arrival = { code: string; location: string; person: TestPerson; response: Response }

export const nothing: GroupMapping = { group: '', role: null, workspaceId: null, workspaceRole: null, presetId: null }

/** A browser and an owner at a server, for tests of sign-ins at issuers. */
export function makeOidcBench(server: TestApplication, owner: TestPerson) {
  const send = (
    method: string,
    path: string,
    options: { person?: TestPerson; body?: unknown; cookie?: string } = {},
  ) => {
    const { cookie, ...request } = options
    return server.call(method, `/api/v1${path}`, {
      ...request,
      ...(cookie === undefined ? {} : { headers: { cookie } }),
    })
  }
  async function as<Answer>(person: TestPerson, method: string, path: string, body?: unknown): Promise<Answer> {
    await server.confirm(person)
    const response = await send(method, path, { person, body })
    return (response.status === 204 ? {} : await response.json()) as Answer
  }
  const codeOf = async (person: TestPerson, method: string, path: string, body?: unknown) =>
    (await as<Refusal>(person, method, path, body)).error?.code ?? 'done'
  const addProvider = (issuer: Issuer, settings: Partial<CreateSignInProvider> = {}) =>
    as<SignInProvider>(owner, 'POST', '/sign-in-providers', {
      name: 'Company',
      issuer: issuer.url,
      clientId: issuer.client.id,
      clientSecret: issuer.client.secret,
      join: { rule: 'group', domains: [], group: 'all' },
      groups: { claim: 'groups', source: 'id-token', mappings: [] },
      ...settings,
    })
  async function start(body: object): Promise<{ url: string; cookie: string; code: string }> {
    const response = await send('POST', '/auth/providers/start', { body })
    const { url = '', error } = (await response.json()) as Partial<StartedProviderSignIn> & Refusal
    return { url, cookie: cookieOf(response), code: error?.code ?? 'done' }
  }
  /** Comes back from the issuer with the cookies that this browser has. */
  async function comeBack(back: URL, cookie: string): Promise<Arrival> {
    const response = await server.call('GET', `${back.pathname}${back.search}`, { headers: { cookie } })
    const location = response.headers.get('location') ?? ''
    const code = new URL(location, 'http://localhost').searchParams.get('problem') ?? 'done'
    const headers = { cookie: cookieOf(response) }
    const me =
      code === 'done'
        ? ((await (await send('GET', '/me', { person: { userId: '', headers } })).json()) as { id?: string })
        : {}
    return { code, location, person: { userId: me.id ?? '', headers }, response }
  }
  async function signIn(
    provider: { id: string },
    issuer: Issuer,
    more: { secret?: string; as?: string } = {},
  ): Promise<Arrival> {
    const { url, cookie, code } = await start({ providerId: provider.id, ...(more.secret && { secret: more.secret }) })
    if (url === '') return { code, location: '', person: { userId: '', headers: {} }, response: new Response() }
    return await comeBack(await issuer.visit(url, more.as), cookie)
  }
  const isSignedIn = async (person: TestPerson) => (await send('GET', '/me', { person })).status === 200
  const me = async (person: TestPerson) =>
    (await (await send('GET', '/me', { person })).json()) as { id: string; role: string; email: string; name: string }
  return { send, as, codeOf, addProvider, start, comeBack, signIn, isSignedIn, me }
}

export const hourMs = 3_600_000
