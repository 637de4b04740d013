import { Hono } from 'hono'
import { type ApiEnv, idParam } from '../../platform/http/api.ts'
import { answerError } from '../../platform/http/errors.handler.ts'
import { requestTooLarge, routeNotFound } from '../../platform/http/http.errors.ts'
import { addCookies, originOf } from '../users/users.routes.ts'
import type { OidcLogout } from './oidc-logout.ts'
import type { OidcSignIn } from './oidc-sign-in.usecases.ts'

/** Largest body of a logout request: one token. */
const maxBodyBytes = 64 * 1024
const headers = { 'cache-control': 'no-store' }

/** `/sign-in/<provider>/…`: where issuers send browsers back to, and where they report sign-outs. */
export function oidcPages({ signIn, logout }: { signIn: OidcSignIn; logout: OidcLogout }): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.onError(answerError)
  app.get('/:providerId/callback', async (context) => {
    const query = new URL(context.req.url).searchParams
    const providerId = providerIn(context.req.param('providerId'))
    const { location, setCookies } = await signIn.finish({ providerId, query }, originOf(context))
    addCookies(context, setCookies)
    context.header('cache-control', 'no-store')
    return context.redirect(location, 302)
  })
  app.post('/:providerId/logout', async (context) => {
    const body = await textOf(context.req.raw.body)
    const token = new URLSearchParams(body).get('logout_token') ?? ''
    const from = { address: context.get('clientAddress') }
    await logout.receive(providerIn(context.req.param('providerId')), token, from)
    return context.body(null, 200, headers)
  })
  app.all('*', () => {
    throw routeNotFound({})
  })
  return app
}

function providerIn(id: string): string {
  return idParam.safeParse(id).data ?? ''
}

async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const part of body ?? []) {
    sizeBytes += part.byteLength
    if (sizeBytes > maxBodyBytes) throw requestTooLarge({ limitBytes: maxBodyBytes })
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
