/** A site that a sandbox serves, with a page that the test controls. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const page =
  '<!doctype html><title>site</title><h1>A site</h1><button id="go">Go</button><script src="/hostile.js"></script>'
const worker = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/hijacked') event.respondWith(new Response('by the worker'))
})`
const scripts = { '/worker.js': worker, '/hostile.js': readFileSync('hostile.js') }

createServer((request, response) => {
  const script = scripts[request.url]
  if (script !== undefined) return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
  if (request.url === '/cookies') return response.end(request.headers.cookie ?? '')
  response.setHeader('set-cookie', 'who=ada; HttpOnly')
  response.setHeader('x-frame-options', 'DENY')
  response.writeHead(200, { 'content-type': 'text/html' }).end(page)
}).listen(8000, '127.0.0.1')
