import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'

type Values = Record<string, unknown>

/** `oidc-provider` on loopback: people sign in without interaction, as the one that the test names. */
export type RealIssuer = AsyncDisposable & {
  url: string
  client: { id: string; secret: string }
  /** Claims by subject. Without an entry the person is disabled there. */
  people: Map<string, Values>
  /** Opens the page as the browser of this person, and returns where it is sent back to. */
  visit(url: string, person?: string): Promise<URL>
  /** Signs a person out there, which tells the client’s logout address. */
  signOut(subject: string, sid: string): Promise<void>
}

const personHeader = 'x-person'

/**
 * `isIdTokenFull`: claims are in the ID token, else only in userinfo. `redirectUris`: where a client can be sent back to
 * is known only after it was added, so it is read at each request.
 */
export async function startRealIssuer(options: {
  isIdTokenFull: boolean
  redirectUris: string[]
  logoutUri?: string
}): Promise<RealIssuer> {
  const client = { id: 'threadbox', secret: 'a-client-secret-of-the-test' }
  const people = new Map<string, Values>()
  const state = { provider: undefined as Provider | undefined }
  const http = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const providerNow = () => {
    state.provider ??= new Provider(url, configurationOf({ client, people, ...options }))
    return state.provider
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const provider = providerNow()
    if (!incoming.url?.startsWith('/interaction/')) return await provider.callback()(incoming, outgoing)
    const accountId = String(incoming.headers[personHeader])
    const { params } = await provider.interactionDetails(incoming, outgoing)
    const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    await provider.interactionFinished(incoming, outgoing, { login: { accountId }, consent })
  }

  return {
    url,
    client,
    people,
    visit: async (page, person = 'ann') => {
      const jar = new Map<string, string>()
      let next = page
      for (let count = 0; next.startsWith(url) && count < 10; count++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie, [personHeader]: person } })
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          jar.set(name, value)
        }
        await response.body?.cancel()
        next = new URL(response.headers.get('location') ?? '', next).href
      }
      return new URL(next)
    },
    signOut: async (subject, sid) => {
      const known = (await providerNow().Client.find(client.id)) as unknown as {
        backchannelLogout(subject: string, sid: string): Promise<void>
      }
      await known.backchannelLogout(subject, sid)
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => {
        http.close(resolve)
      })
    },
  }
}

function configurationOf(given: {
  client: { id: string; secret: string }
  people: Map<string, Values>
  isIdTokenFull: boolean
  redirectUris: string[]
  logoutUri?: string
}): Configuration {
  const { client, people, isIdTokenFull, redirectUris, logoutUri } = given
  const days = (count: number) => count * 24 * 3600
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code', 'refresh_token'],
        ...(logoutUri === undefined
          ? {}
          : { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true }),
      },
    ],
    claims: { openid: ['sub', 'groups', 'realm'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !isIdTokenFull,
    findAccount: (_, sub) => {
      const claims = people.get(sub)
      return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) }
    },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: false } },
    // Its own refuses loopback addresses, where the server of a test listens.
    fetch: (target, { dispatcher: _, ...request }: RequestInit & { dispatcher?: unknown } = {}) =>
      fetch(target, request),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    // The server’s clock of the test runs ahead of this one.
    ttl: {
      IdToken: days(30),
      AccessToken: days(1),
      RefreshToken: days(30),
      Grant: days(30),
      Session: days(30),
      Interaction: 600,
    },
    cookies: { keys: ['a-key-of-the-test'] },
  }
}
