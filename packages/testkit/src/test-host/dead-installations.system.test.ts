import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { removeDeadInstallations } from './dead-installations.ts'
import { findLeftovers } from './leftovers.ts'

test('leftovers of a killed test run are removed by the next one: daemon, sandbox, addresses and files', async () => {
  const run = spawn(process.execPath, [path.join(import.meta.dirname, 'abandoned-host.main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(run.stdout, 'data')) as [Buffer]
  const host = JSON.parse(line.toString()) as { installation: string; dataDirectory: string; diskDirectory: string }
  const addresses = () => execFileSync('ip', ['addr', 'show', 'dev', 'lo']).toString()
  const own = `lo:tb${host.installation}`

  await removeDeadInstallations()
  expect(addresses()).toContain(own)
  expect((await findLeftovers(host)).filter((found) => found.startsWith('process'))).not.toEqual([])

  const ended = once(run, 'exit')
  run.kill('SIGKILL')
  await ended
  await removeDeadInstallations()
  expect(addresses()).not.toContain(own)
  expect((await findLeftovers(host)).filter((found) => !/^(disk|memory) /.test(found))).toEqual([])
  await expect(access(host.dataDirectory)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('disks that a killed run left mounted are unmounted, innermost first, and their devices detached', async () => {
  const run = spawn(process.execPath, [path.join(import.meta.dirname, 'abandoned-disk.main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(run.stdout, 'data')) as [Buffer]
  const directory = line.toString().trim()
  const found = () => {
    const lines = `${readFileSync('/proc/self/mounts')}${execFileSync('losetup', ['--list'])}`.split('\n')
    return lines.filter((text) => text.includes(`${directory}/`))
  }
  await removeDeadInstallations()
  expect(found()).toHaveLength(4)

  const ended = once(run, 'exit')
  run.kill('SIGKILL')
  await ended
  await removeDeadInstallations()
  expect(found()).toEqual([])
  await expect(access(directory)).rejects.toMatchObject({ code: 'ENOENT' })
})
