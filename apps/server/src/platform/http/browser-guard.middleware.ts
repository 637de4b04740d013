import { createMiddleware } from 'hono/factory'
import type { ApiEnv } from './api.ts'
import { hostRefused, originRefused } from './http.errors.ts'
import { type AllowedHosts, baseDomainOf, isSameOrigin, makeHostCheck } from './origins.ts'

/** Refuses requests under a foreign name (DNS rebinding). */
export function guardHost(options: AllowedHosts) {
  const isAllowed = makeHostCheck(options)
  return createMiddleware<ApiEnv>(async (context, next) => {
    const host = context.req.header('host') ?? new URL(context.req.url).host
    if (!isAllowed(host)) throw hostRefused({ host: host.slice(0, 200) })
    await next()
  })
}

/**
 * Refuses a change that another page sends with a user's cookie. A browser always sends the origin of such a request; a
 * program with an API key sends no cookie, and its key is sufficient.
 */
export function guardOrigin(options: { publicUrl: string }) {
  return createMiddleware<ApiEnv>(async (context, next) => {
    const isChange = !['GET', 'HEAD', 'OPTIONS'].includes(context.req.method)
    if (isChange) {
      requireOwnOrigin({
        origin: context.req.header('origin'),
        hostHeader: context.req.header('host') ?? new URL(context.req.url).host,
        hasCookie: context.req.header('cookie') !== undefined,
        hasKey: context.req.header('authorization') !== undefined,
        publicUrl: options.publicUrl,
      })
    }
    await next()
  })
}

/** Throws `request.origin-refused`. */
export function requireOwnOrigin(request: {
  origin: string | undefined
  hostHeader: string
  hasCookie: boolean
  hasKey: boolean
  publicUrl: string
}): void {
  const { origin, hasCookie, hasKey } = request
  const isForeign = origin !== undefined && !isSameOrigin({ ...request, origin })
  if (isForeign || (origin === undefined && hasCookie && !hasKey)) throw originRefused({})
}

/** Headers of every response. Routes that serve users' content replace the policy with a stricter one. */
export function secureHeaders(options: { installation: string; baseDomain: string; publicUrl: string }) {
  const policy = appPolicy(baseDomainOf(options))
  return createMiddleware<ApiEnv>(async (context, next) => {
    await next()
    const headers = context.res.headers
    if (!headers.has('content-security-policy')) headers.set('content-security-policy', policy)
    headers.set('x-content-type-options', 'nosniff')
    headers.set('referrer-policy', 'same-origin')
    headers.set('cross-origin-opener-policy', 'same-origin')
    headers.set('cross-origin-resource-policy', 'same-origin')
    headers.set('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    if (options.publicUrl.startsWith('https:')) headers.set('strict-transport-security', 'max-age=31536000')
  })
}

/**
 * Images only from this origin: a URL in a model's response must not fetch anything from elsewhere, because the URL
 * itself can contain data. Inline styles are allowed: the component library sets them, and they can't run code.
 */
function appPolicy(baseDomain: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    `frame-src 'self' blob: http://*.${baseDomain}:* https://*.${baseDomain}:*`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
