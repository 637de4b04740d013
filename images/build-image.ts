import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEnvironment, certificateBundle } from './build-environment.ts'
import { allDebianPackages, suite } from './recipe/packages.ts'
import { recipeDirectory, recipeHash } from './recipe-hash.ts'

/**
 * Builds the base image as `<cache>/<hash>.tar.zst` and prints that path as its last line; does nothing but print when
 * it exists. Root; needs mmdebstrap and zstd. `--path` only prints where the image is or would be.
 *
 * Everything is made in `<cache>/.build-<pid>` and moved into place at the end, so an interrupted build leaves only
 * that folder, which the next build removes.
 */
const { values } = parseArgs({
  options: { cache: { type: 'string', default: '/var/cache/threadbox/images' }, path: { type: 'boolean' } },
})
const hash = recipeHash({ directory: recipeDirectory, architecture: process.arch })
const target = join(values.cache, `${hash}.tar.zst`)
if (!values.path && !existsSync(target)) await build()
if (process.exitCode === undefined) process.stdout.write(`${target}\n`)

async function build(): Promise<void> {
  removeAbandonedBuilds()
  const work = join(values.cache, `.build-${process.pid}`)
  mkdirSync(work, { recursive: true })
  const startedAt = Date.now()
  try {
    const archive = join(work, 'image.tar.zst')
    // The image is made from a copy, so that an edit during the build cannot end up under the old recipe's name.
    cpSync(recipeDirectory, join(work, 'recipe'), { recursive: true })
    const status = await bootstrap({ work, archive })
    if (status !== 0) {
      process.stderr.write(`image: mmdebstrap exited with ${status}; see the lines above\n`)
      process.exitCode = 1
      return
    }
    renameSync(archive, target)
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    process.stdout.write(`image: ready, ${Math.round(statSync(target).size / 1e6)} MB after ${seconds} s\n`)
  } finally {
    removeBuild(work)
  }
}

function bootstrap(paths: { work: string; archive: string }): Promise<number> {
  const certificates = certificateBundle(process.env)
  const hooks = [
    'mkdir -p "$1/run/recipe"',
    `cp -r ${quoted(`${join(paths.work, 'recipe')}/.`)} "$1/run/recipe/"`,
    ...(certificates ? [`cp -L ${quoted(certificates)} "$1/run/recipe/certificates.pem"`] : []),
    'chroot "$1" /run/recipe/customize.sh',
    // What the host daemon mounts over must be plain files, and nothing of this machine may stay in the image.
    'rm -rf "$1/run/recipe" && for f in resolv.conf hosts hostname; do rm -f "$1/etc/$f"; : > "$1/etc/$f"; done',
  ]
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
  const child = spawn(
    'mmdebstrap',
    [
      '--mode=root',
      '--variant=minbase',
      '--format=tar',
      ...(existsSync(keyring) ? [`--keyring=${keyring}`] : []),
      '--dpkgopt=path-exclude=/usr/share/man/*',
      '--dpkgopt=path-exclude=/usr/share/info/*',
      '--dpkgopt=path-exclude=/usr/share/locale/*/LC_MESSAGES/*',
      '--dpkgopt=path-exclude=/usr/share/doc/*',
      '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      // Text in Chinese, Japanese and Korean needs one face; the serif one would be as large again.
      '--dpkgopt=path-exclude=/usr/share/fonts/opentype/noto/NotoSerifCJK-*',
      `--include=${allDebianPackages().join(',')}`,
      ...hooks.map((hook) => `--customize-hook=${hook}`),
      suite,
      paths.archive,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], env: buildEnvironment(process.env, { temporary: paths.work }) },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 130 : 1)))
  })
}

function removeAbandonedBuilds(): void {
  mkdirSync(values.cache, { recursive: true })
  for (const name of readdirSync(values.cache)) {
    const pid = /^\.build-(\d+)$/.exec(name)?.[1]
    if (pid && !existsSync(`/proc/${pid}`)) removeBuild(join(values.cache, name))
  }
}

/**
 * A build that was killed leaves this machine's /proc, /sys and /dev mounted in its tree: nothing below it is removed
 * before these are gone from there.
 */
function removeBuild(directory: string): void {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const below = mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${directory}/`))
  for (const path of below.reverse()) execFileSync('umount', ['--lazy', path])
  rmSync(directory, { recursive: true, force: true })
}

/** A word for the shell that runs mmdebstrap's hooks. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
