import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An OAuth server on loopback (OAuth 2.1 with PKCE, metadata and registration) whose page signs in without interaction.
 */
export type LoginServer = AsyncDisposable & {
  issuer: string
  /** Its metadata; can be changed at any time. */
  metadata: Record<string, unknown>
  /** How long an access token is valid. */
  tokenSeconds: number
  /** The user denies access. */
  isDenying: boolean
  /** Clients that registered themselves or were added here, with their secrets. */
  clients: Map<string, { redirectUris: string[]; secret: string | null }>
  /** Token requests, as received. */
  tokenRequests: Record<string, string>[]
  /** Whether a token is currently valid. */
  accepts(token: string | undefined): boolean
  /** Ends access tokens; refresh tokens too with `all`. */
  revoke(what: 'access' | 'all'): void
}

type Ends = Pick<LoginServer, 'accepts' | 'revoke'> & AsyncDisposable
type Grant = { clientId: string; challenge: string; redirectUri: string }

/** Creates its responses by path. */
function makeAnswers(server: Omit<LoginServer, keyof Ends>, access: Map<string, number>, refresh: Map<string, string>) {
  const codes = new Map<string, Grant>()
  const secret = (kind: string) => `${kind}-${randomBytes(18).toString('base64url')}`

  const issue = (clientId: string) => {
    const tokens = { access: secret('access'), refresh: secret('refresh') }
    access.set(tokens.access, Date.now() + server.tokenSeconds * 1000)
    refresh.set(tokens.refresh, clientId)
    const answer = { access_token: tokens.access, refresh_token: tokens.refresh, token_type: 'Bearer' }
    return Response.json({ ...answer, expires_in: server.tokenSeconds })
  }
  const refuse = (error: string) => Response.json({ error, error_description: `said: ${error}` }, { status: 400 })

  function authorize(query: URLSearchParams): Response {
    const redirectUri = query.get('redirect_uri') ?? ''
    const clientId = query.get('client_id') ?? ''
    const isKnown = server.clients.get(clientId)?.redirectUris.includes(redirectUri) === true
    if (!isKnown || query.get('code_challenge_method') !== 'S256') return refuse('invalid_request')
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', server.issuer)
    if (server.isDenying) back.searchParams.set('error', 'access_denied')
    else {
      const code = secret('code')
      codes.set(code, { clientId, challenge: query.get('code_challenge') ?? '', redirectUri })
      back.searchParams.set('code', code)
    }
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  function token(form: URLSearchParams): Response {
    server.tokenRequests.push(Object.fromEntries(form))
    const clientId = form.get('client_id') ?? ''
    const client = server.clients.get(clientId)
    if (client === undefined || (client.secret ?? null) !== form.get('client_secret')) return refuse('invalid_client')
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? ''
      if (refresh.get(given) !== clientId) return refuse('invalid_grant')
      refresh.delete(given)
      return issue(clientId)
    }
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGranted = grant?.clientId === clientId && grant.challenge === challenge
    return isGranted && grant.redirectUri === form.get('redirect_uri') ? issue(clientId) : refuse('invalid_grant')
  }

  function register(body: string): Response {
    const wanted = JSON.parse(body) as { redirect_uris: string[] }
    const id = secret('client')
    server.clients.set(id, { redirectUris: wanted.redirect_uris, secret: null })
    return Response.json({ ...wanted, client_id: id }, { status: 201 })
  }

  return (url: URL, body: string): Response => {
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return Response.json(server.metadata)
      case '/authorize':
        return authorize(url.searchParams)
      case '/token':
        return token(new URLSearchParams(body))
      case '/register':
        return register(body)
      default:
        return new Response(null, { status: 404 })
    }
  }
}

export async function startLoginServer(): Promise<LoginServer> {
  const access = new Map<string, number>()
  const refresh = new Map<string, string>()
  const http = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
    const response = answer(new URL(incoming.url ?? '/', server.issuer), Buffer.concat(pieces).toString())
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  }
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server: LoginServer = {
    issuer,
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    },
    tokenSeconds: 3600,
    isDenying: false,
    clients: new Map(),
    tokenRequests: [],
    accepts: (given) => given !== undefined && (access.get(given) ?? 0) > Date.now(),
    revoke: (what) => {
      access.clear()
      if (what === 'all') refresh.clear()
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const answer = makeAnswers(server, access, refresh)
  return server
}
