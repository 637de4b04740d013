import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, mkdtempDisposable, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, createZstdCompress } from 'node:zlib'
import { defineError } from '@threadbox/errors'
import { buildPrograms } from './build.ts'
import { filesBelow, hashDirectory } from './built-folder.ts'

const run = promisify(execFile)
const repositoryRoot = join(import.meta.dirname, '../..')

/** It stays in the repository for as long as an upgrade from it is supported. */
const maxBytes = 5_000_000

const fixtureTooLarge = defineError<{ bytes: number }>({
  code: 'release-fixture.too-large',
  kind: 'exhausted',
  message: ({ bytes }) => `The packed release has ${bytes} bytes; the limit is ${maxBytes}.`,
  remedy: () => 'Find out which program grew, for example with the build’s source maps.',
})

/**
 * Packs the programs of this source, without what is native, to `tests/releases/<release>.tar.zst`: the release from
 * which the upgrade test starts. Run it before a change that a running installation must survive. The same source
 * makes the same file.
 */
async function packRelease(): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'threadbox-release-'))
  const programs = join(folder.path, 'release')
  await buildPrograms(programs)
  await rm(join(programs, 'node_modules'), { recursive: true })
  for (const file of await filesBelow(programs)) {
    if (file.endsWith('.map')) await rm(join(programs, file))
  }
  const release = await hashDirectory(programs)
  await writeFile(join(programs, 'release.json'), `${JSON.stringify({ release })}\n`)
  const archive = join(folder.path, 'release.tar')
  const sameEverywhere = [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ]
  await run('tar', ['--create', '--file', archive, ...sameEverywhere, '--directory', programs, '.'])
  const packed = join(folder.path, 'release.tar.zst')
  await compress(archive, packed)
  const { size } = await stat(packed)
  if (size > maxBytes) throw fixtureTooLarge({ bytes: size })
  const target = join(repositoryRoot, 'tests/releases', `${release}.tar.zst`)
  await mkdir(join(repositoryRoot, 'tests/releases'), { recursive: true })
  await copyFile(packed, target)
  return target
}

/** The programs repeat each other’s libraries, so the window is as large as all of them. */
async function compress(from: string, to: string): Promise<void> {
  const { ZSTD_c_compressionLevel, ZSTD_c_windowLog, ZSTD_c_enableLongDistanceMatching } = constants
  const params = { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_windowLog]: 27, [ZSTD_c_enableLongDistanceMatching]: 1 }
  await pipeline(createReadStream(from), createZstdCompress({ params }), createWriteStream(to))
}

process.stdout.write(`${await packRelease()}\n`)
