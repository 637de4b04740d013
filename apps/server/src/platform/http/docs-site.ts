import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { preferredLanguage } from './accept-language.ts'
import type { ApiEnv } from './api.ts'

/** Made by the build out of the scripts that stand in its pages (`docs-site/tools/finish-pages.ts`). */
const policyFile = 'content-security-policy.txt'
/** Files with a hash of their content in their name. */
const unchanging = /^\/docs\/(_astro|pagefind\/(fragment|index))\//

/**
 * Serves the built documentation at `/docs` to anyone: it contains nothing of the installation. `/docs` redirects to
 * the browser's language. Undefined when the directory has no documentation.
 */
export function docsSite(directory: string): Hono<ApiEnv> | undefined {
  const policy = readPolicy(directory)
  if (policy === undefined) return undefined
  const app = new Hono<ApiEnv>()
  app.use('*', async (context, next) => {
    await next()
    context.res.headers.set('content-security-policy', policy)
    const isUnchanging = unchanging.test(context.req.path) && context.res.ok
    context.res.headers.set('cache-control', isUnchanging ? 'public, max-age=31536000, immutable' : 'no-cache')
  })
  app.get('*', async (context, next) => {
    if (context.req.path === '/docs') {
      context.header('vary', 'accept-language')
      return context.redirect(`/docs/${folderFor(preferredLanguage(context.req.header('accept-language')))}`)
    }
    // Relative links of a page assume a URL that ends with a slash.
    const isFolder = !context.req.path.endsWith('/') && (await isPage(join(directory, pathIn(context.req.path))))
    return isFolder ? context.redirect(`${context.req.path}/`, 308) : await next()
  })
  app.get('*', serveStatic({ root: directory, rewriteRequestPath: pathIn }))
  app.get('*', async (context) => context.html(await readFile(join(directory, '404.html'), 'utf8'), 404))
  return app
}

function readPolicy(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, policyFile), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The path of a URL below the site's directory. */
function pathIn(address: string): string {
  return address.slice('/docs'.length)
}

/** A path can't lead out of the directory: the URL was normalized when the request was parsed. */
async function isPage(directory: string): Promise<boolean> {
  return await stat(join(directory, 'index.html')).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** English has no folder of its own. */
function folderFor(language: string): string {
  return language === 'en' ? '' : `${language}/`
}
