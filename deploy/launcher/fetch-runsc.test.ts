import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fetchRunsc } from './fetch-runsc.ts'

let folder: string
let server: Server
let archive: Buffer
let asked: string[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'runsc-'))
  mkdirSync(join(folder, 'made'))
  writeFileSync(join(folder, 'made/runsc'), '#!/bin/sh\necho runsc\n')
  chmodSync(join(folder, 'made/runsc'), 0o755)
  archive = execFileSync('tar', ['-cjf', '-', '-C', join(folder, 'made'), '.'])
  asked = []
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(request.url?.includes('/19700101/') ? 404 : 200).end(archive)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

function options(changes: { day?: string; sha512?: string } = {}) {
  return {
    releases: `http://127.0.0.1:${(server.address() as AddressInfo).port}/release`,
    day: '20260907',
    machine: 'x86_64',
    sha512: createHash('sha512').update(archive).digest('hex'),
    folder: join(folder, 'cache/pinned'),
    ...changes,
  }
}

test('an archive whose checksum differs from the pinned one is rejected and leaves nothing', async () => {
  await expect(fetchRunsc(options({ sha512: '0'.repeat(128) }))).rejects.toThrow('not the pinned one')
  expect(readdirSync(folder)).toEqual(['made'])
})

test('a missing release is rejected', async () => {
  await expect(fetchRunsc(options({ day: '19700101' }))).rejects.toThrow('responded with 404')
})

test('the pinned archive is unpacked with its programs executable', async () => {
  await expect(fetchRunsc(options())).resolves.toEqual({ bytes: archive.length })
  expect(asked).toEqual(['/release/20260907/x86_64/gvisor.tar.bz2'])
  expect(readFileSync(join(folder, 'cache/pinned/runsc'), 'utf8')).toContain('echo runsc')
  expect(statSync(join(folder, 'cache/pinned/runsc')).mode & 0o111).toBe(0o111)
  expect(readdirSync(join(folder, 'cache'))).toEqual(['pinned'])
})
