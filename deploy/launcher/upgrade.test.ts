import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../..')
/** What a release’s own launcher would do: here it only says that it was started, and with what. */
const upOfRelease = '#!/bin/sh\necho "started: $*"\n'

let folder: string
/** The published repository, and an operator’s clone of its first release. */
let origin: string
let checkout: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  makeKey('trusted')
  makeKey('stranger')
})
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  origin = mkdtempSync(join(folder, 'origin-'))
  checkout = join(origin, '../checkout')
  rmSync(checkout, { recursive: true, force: true })
  mkdirSync(join(origin, 'deploy'))
  cpSync(join(repository, 'deploy/launcher'), join(origin, 'deploy/launcher'), { recursive: true })
  cpSync(join(repository, 'threadbox'), join(origin, 'threadbox'))
  writeFileSync(
    join(origin, 'allowed_signers'),
    `# Keys\nreleases@example.org namespaces="git" ${publicKey('trusted')}`,
  )
  git(origin, 'init', '--quiet', '--initial-branch', 'main')
  commit('The first release')
  tag('v0.9.0')
  git(folder, 'clone', '--quiet', origin, checkout)
  writeFileSync(join(origin, 'threadbox'), upOfRelease)
  commit('The second release')
})

test('a release without a signature is refused, and nothing changes', () => {
  git(origin, 'tag', 'v1.0.0')
  expectRefusal(upgrade(), "v1.0.0 isn't signed")
  git(origin, 'tag', '--force', '--annotate', '--message', 'v1.0.0', 'v1.0.0')
  expectRefusal(upgrade(), 'The signature of v1.0.0 is missing')
})

test('a release that a stranger has signed is refused, also if it brings the stranger’s key along', () => {
  writeFileSync(join(origin, 'allowed_signers'), `stranger@example.org ${publicKey('stranger')}`)
  commit('Their key')
  tag('v1.0.0', { key: 'stranger' })
  expectRefusal(upgrade(), 'not of a key in allowed_signers')
})

test('a signed tag that was changed afterwards is refused', () => {
  tag('v1.0.0')
  const signed = git(origin, 'cat-file', 'tag', 'v1.0.0')
  const other = signed.replace(/^object \w+/, `object ${git(origin, 'rev-parse', 'HEAD~1').trim()}`)
  git(origin, 'update-ref', 'refs/tags/v1.0.0', git(origin, 'mktag', { input: other }).trim())
  expectRefusal(upgrade('v1.0.0'), 'The signature of v1.0.0')
})

test('the signed tag of one release is refused under the name of another', () => {
  tag('v1.0.0')
  git(origin, 'update-ref', 'refs/tags/v2.0.0', git(origin, 'rev-parse', 'v1.0.0').trim())
  expectRefusal(upgrade(), 'The tag under the name v2.0.0 was signed as v1.0.0')
})

test('a release that doesn’t contain the installed one is refused', () => {
  git(origin, 'checkout', '--quiet', '--orphan', 'other')
  commit('Another history')
  tag('v1.0.0')
  expectRefusal(upgrade('v1.0.0'), "doesn't contain the checked-out commit")
})

test('unusable names, missing releases and a checkout with changes are refused', () => {
  tag('v1.0.0')
  for (const name of ['main', 'v', 'v1/../main', 'v1^{}', '--upload-pack=x']) {
    expect(upgrade(name).status, name).toBe(2)
  }
  expectRefusal(upgrade('v3.0.0'), 'There is no release v3.0.0')
  appendFileSync(join(checkout, 'deploy/launcher/up.sh'), '# Changed\n')
  expectRefusal(upgrade(), 'The checkout has changes')
})

test('without a key, every release is refused', () => {
  tag('v1.0.0')
  writeFileSync(join(checkout, 'allowed_signers'), '# no key\n')
  expectRefusal(upgrade(), 'allowed_signers has no key')
})

test('the newest signed release is checked out, and its own launcher starts it', () => {
  tag('v1.0.0')
  tag('v1.10.0')
  tag('v1.9.0')
  const { status, stdout, stderr } = upgrade()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/✓ v1\.10\.0 is signed: releases@example\.org/)
  expect(stdout).toContain(`started: up --data-dir ${folder}/data`)
  expect(head()).toBe(git(origin, 'rev-parse', 'v1.10.0^{commit}'))
})

test('an operator’s own key counts, and a checkout that has the newest release is left alone', () => {
  tag('v1.0.0', { key: 'stranger' })
  writeFileSync(join(checkout, 'allowed_signers'), `me@example.org ${publicKey('stranger')}`)
  expect(upgrade().status).toBe(0)
  git(checkout, 'checkout', '--quiet', '--force', 'v0.9.0')
  git(origin, 'tag', '--delete', 'v1.0.0')
  expect(upgrade()).toMatchObject({ status: 0, stdout: '✓ No newer release\n' })
})

function upgrade(...args: string[]) {
  const env = { ...process.env, THREADBOX_DATA: join(folder, 'data') }
  const { status, stdout, stderr } = spawnSync(join(checkout, 'threadbox'), ['upgrade', ...args], {
    encoding: 'utf8',
    env,
  })
  return { status, stdout, stderr }
}

function expectRefusal({ status, stdout, stderr }: ReturnType<typeof upgrade>, reason: string) {
  expect(stderr).toContain(reason)
  expect(status).toBe(1)
  expect(stdout).not.toContain('started')
  expect(head()).toBe(git(origin, 'rev-parse', 'v0.9.0^{commit}'))
}

function head(): string {
  return git(checkout, 'rev-parse', 'HEAD')
}

function makeKey(name: string) {
  run(folder, 'ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(folder, name)])
}

function publicKey(name: string): string {
  return readFileSync(join(folder, `${name}.pub`), 'utf8')
}

function commit(subject: string) {
  git(origin, 'add', '--all')
  git(origin, 'commit', '--quiet', '--allow-empty', '--message', subject)
}

function tag(name: string, { key = 'trusted' } = {}) {
  git(origin, '-c', `user.signingKey=${join(folder, key)}`, 'tag', '--sign', '--message', name, name)
}

function git(directory: string, ...args: (string | { input: string })[]): string {
  const words = args.filter((arg) => typeof arg === 'string')
  const input = args.find((arg) => typeof arg !== 'string')?.input ?? ''
  const own = ['-c', 'user.name=Releases', '-c', 'user.email=releases@example.org', '-c', 'gpg.format=ssh']
  return run(directory, 'git', [...own, ...words], input)
}

function run(directory: string, program: string, args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: 'utf8', input })
  expect({ program, args, status, stderr }).toMatchObject({ status: 0 })
  return stdout
}
