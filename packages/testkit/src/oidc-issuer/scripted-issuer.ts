import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'

type Values = Record<string, unknown>
type Path = '/.well-known/openid-configuration' | '/jwks' | '/token' | '/userinfo'

/** An OpenID Connect issuer on loopback that signs in without interaction, and misbehaves as its script says. */
export type ScriptedIssuer = AsyncDisposable & {
  url: string
  client: { id: string; secret: string }
  /** Claims of the person who signs in next; `sub` is needed. In ID token and userinfo unless one is set apart. */
  person: Values
  userinfo: Values | null
  script: IssuerScript
  /** Opens the page as a browser does, and returns where it is sent back to. */
  visit(url: string): Promise<URL>
  /** From now on tokens are signed with another key. */
  rotateKey(): Promise<void>
  /** A logout token. Claims with the value `undefined` are left out. */
  logoutToken(claims: Values): Promise<string>
}

export type IssuerScript = {
  metadata: Values
  /** Changes an ID token. Claims with the value `undefined` are left out. */
  claims: Values
  algorithm: 'RS256' | 'HS256' | 'none'
  /** Signs with a key that is not among the published ones. */
  isForged: boolean
  /** The `iss` of the response; null: none. */
  responseIssuer: string | null
  refresh: 'given' | 'none' | 'refused'
  /** The clock of the issuer is ahead by this. */
  aheadSeconds: number
  /** Paths that never respond, and those that respond with 50 MB. */
  silent: Set<Path>
  huge: Set<Path>
}

type Key = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey }
type Grant = { nonce: string; challenge: string; redirectUri: string; person: Values; userinfo: Values | null }

const algorithm = 'RS256'
const hugeBytes = 50 * 1024 * 1024

async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { kid: randomBytes(6).toString('hex'), privateKey, publicKey }
}

export async function startScriptedIssuer(): Promise<ScriptedIssuer> {
  const state = { key: await newKey(), forged: await newKey() }
  const http = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const issuer: ScriptedIssuer = {
    url,
    client: { id: 'threadbox', secret: randomBytes(12).toString('hex') },
    person: { sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true },
    userinfo: null,
    script: plainScript(),
    visit: async (page) => {
      const response = await fetch(page, { redirect: 'manual' })
      await response.body?.cancel()
      return new URL(response.headers.get('location') ?? '')
    },
    rotateKey: async () => {
      state.key = await newKey()
    },
    logoutToken: async (claims) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const own = { aud: issuer.client.id, jti: randomBytes(8).toString('hex'), events, ...claims }
      return await sign({ issuer, claims: own, key: state.key, header: { typ: 'logout+jwt' } })
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => {
        http.close(resolve)
      })
    },
  }
  const answer = makeAnswers(issuer, state)
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
    const page = new URL(incoming.url ?? '/', url)
    const { silent, huge } = issuer.script
    if (silent.has(page.pathname as Path)) return
    if (huge.has(page.pathname as Path)) {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': hugeBytes })
      outgoing.end(Buffer.alloc(hugeBytes, ' '))
      return
    }
    const authorization = incoming.headers.authorization ?? ''
    const response = await answer(page, { body: Buffer.concat(pieces).toString(), authorization })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  }
  return issuer
}

function plainScript(): IssuerScript {
  return {
    metadata: {},
    claims: {},
    algorithm,
    isForged: false,
    responseIssuer: '',
    refresh: 'given',
    aheadSeconds: 0,
    silent: new Set(),
    huge: new Set(),
  }
}

/** Creates its responses by path. */
function makeAnswers(issuer: ScriptedIssuer, keys: { key: Key; forged: Key }) {
  const codes = new Map<string, Grant>()
  const refreshes = new Map<string, Grant>()
  const accesses = new Map<string, Grant>()
  const random = () => randomBytes(18).toString('base64url')
  const refuse = (error: string) => Response.json({ error }, { status: 400 })

  function authorize(query: URLSearchParams): Response {
    const redirectUri = query.get('redirect_uri') ?? ''
    if (query.get('client_id') !== issuer.client.id || query.get('code_challenge_method') !== 'S256') {
      return refuse('invalid_request')
    }
    const { person, userinfo, script } = issuer
    const code = random()
    const [nonce, challenge] = [query.get('nonce') ?? '', query.get('code_challenge') ?? '']
    codes.set(code, { nonce, challenge, redirectUri, person, userinfo })
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('code', code)
    if (script.responseIssuer !== null) back.searchParams.set('iss', script.responseIssuer || issuer.url)
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  async function issue(grant: Grant, nonce: string | undefined): Promise<Response> {
    const [access, refresh] = [random(), random()]
    accesses.set(access, grant)
    refreshes.set(refresh, grant)
    const { isForged, refresh: how, claims } = issuer.script
    const own = { ...grant.person, aud: issuer.client.id, nonce, ...claims }
    const token = await sign({ issuer, claims: own, key: isForged ? keys.forged : keys.key, header: {} })
    const answered = { access_token: access, token_type: 'Bearer', expires_in: 3600, id_token: token }
    return Response.json(how === 'none' ? answered : { ...answered, refresh_token: refresh })
  }

  async function token(form: URLSearchParams, authorization: string): Promise<Response> {
    const expected = Buffer.from(`${issuer.client.id}:${issuer.client.secret}`).toString('base64')
    if (authorization !== `Basic ${expected}`) return refuse('invalid_client')
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? ''
      const grant = refreshes.get(given)
      if (grant === undefined || issuer.script.refresh === 'refused') return refuse('invalid_grant')
      refreshes.delete(given)
      return await issue({ ...grant, person: issuer.person, userinfo: issuer.userinfo }, undefined)
    }
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGranted = grant?.challenge === challenge && grant.redirectUri === form.get('redirect_uri')
    return isGranted ? await issue(grant, grant.nonce) : refuse('invalid_grant')
  }

  return async (page: URL, { body, authorization }: { body: string; authorization: string }): Promise<Response> => {
    switch (page.pathname) {
      case '/.well-known/openid-configuration':
        return Response.json({ ...metadataOf(issuer.url), ...issuer.script.metadata })
      case '/jwks':
        return Response.json({ keys: [{ ...(await exportJWK(keys.key.publicKey)), kid: keys.key.kid, use: 'sig' }] })
      case '/authorize':
        return authorize(page.searchParams)
      case '/token':
        return await token(new URLSearchParams(body), authorization)
      case '/userinfo': {
        const grant = accesses.get(authorization.replace(/^Bearer /, ''))
        return grant === undefined ? refuse('invalid_token') : Response.json(grant.userinfo ?? grant.person)
      }
      default:
        return new Response(null, { status: 404 })
    }
  }
}

function metadataOf(url: string): Values {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    userinfo_endpoint: `${url}/userinfo`,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    backchannel_logout_supported: true,
  }
}

async function sign(given: {
  issuer: ScriptedIssuer
  claims: Values
  key: Key
  header: Partial<JWTHeaderParameters>
}): Promise<string> {
  const { issuer, claims, key, header } = given
  const { algorithm: alg, aheadSeconds } = issuer.script
  const now = Math.floor(Date.now() / 1000) + aheadSeconds
  const all = { iss: issuer.url, iat: now, exp: now + 300, ...claims }
  const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JWTPayload
  if (alg === 'none') return new UnsecuredJWT(payload).encode()
  const jwt = new SignJWT(payload).setProtectedHeader({ ...header, alg, kid: key.kid })
  return await jwt.sign(
    alg === 'HS256' ? new TextEncoder().encode(issuer.client.secret.padEnd(32, '0')) : key.privateKey,
  )
}
