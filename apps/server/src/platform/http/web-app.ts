import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import type { ApiEnv } from './api.ts'
import { routeNotFound } from './http.errors.ts'

/**
 * Serves the built web app: files with a hash in their name never change and are cached forever; everything else is
 * revalidated each time. A URL that isn't a file is one of the app's own pages.
 */
export function webApp(directory: string): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.use('/assets/*', async (context, next) => {
    await next()
    const isFound = context.res.status === 200
    context.res.headers.set('cache-control', isFound ? 'public, max-age=31536000, immutable' : 'no-store')
  })
  app.use(
    '*',
    serveStatic({
      root: directory,
      onFound: (path, context) => {
        if (!path.includes('/assets/')) context.header('cache-control', 'no-cache')
      },
    }),
  )
  app.get('/assets/*', () => {
    throw routeNotFound({})
  })
  app.get('*', async (context) => {
    const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => undefined)
    if (page === undefined) throw routeNotFound({})
    return context.html(page, 200, { 'cache-control': 'no-cache' })
  })
  return app
}
