import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'

const run = promisify(execFile)
/** Pure Python and compiled, about 20 MB: neither is in the image. */
const packages = ['django', 'gensim']
const rounds = 3
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** A real install by uv and by pip in a thread, next to the same tool, image and disk without gVisor (chroot). */
export async function packageInstall(stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const tool of ['uv', 'pip'] as const) figures.push(await installWith(stage, tool))
  return figures
}

async function installWith(stage: Stage, tool: 'uv' | 'pip'): Promise<Figure> {
  const figure: Figure = {
    id: `install-${tool}`,
    title: `${tool} install of ${packages.join(' and ')} in a thread, caches empty`,
    unit: 'ms',
    samples: [],
    floorSamples: [],
    floorTitle: 'the same outside gVisor, in a chroot over a copy of the image',
    target: null,
  }
  const command = commandOf(tool)
  for (let round = 0; round < rounds; round++) {
    figure.floorSamples.push(await installNatively(stage, command))
    const thread = await stage.newThread()
    await thread.say('/run true')
    figure.samples.push(
      await timed(async () => {
        const { calls } = await thread.say(`/run ${command}`)
        if (calls[0]?.status !== 'succeeded') throw new Error(`${command}: ${calls[0]?.output.tail}`)
      }),
    )
    await stage.client.threads.delete(thread.id)
  }
  return figure
}

function commandOf(tool: 'uv' | 'pip'): string {
  return tool === 'uv'
    ? `uv pip install --no-cache --quiet ${packages.join(' ')}`
    : `pip install --no-cache-dir --quiet --root-user-action=ignore ${packages.join(' ')}`
}

async function installNatively(stage: Stage, command: string): Promise<number> {
  const pool = path.join(stage.host.diskDirectory, 'pool')
  const parent = await mkdtemp(path.join(pool, 'bench-'))
  const root = path.join(parent, 'root')
  await run('btrfs', ['-q', 'subvolume', 'snapshot', await imageRoot(pool), root])
  try {
    for (const file of ['/etc/resolv.conf', '/etc/hosts', certificates]) {
      await copyFile(file, path.join(root, file))
    }
    await run('mount', ['--bind', '/dev', path.join(root, 'dev')])
    const environment = [`SSL_CERT_FILE=${certificates}`, `PIP_CERT=${certificates}`, 'HOME=/home/user']
    const inRoot = ['chroot', '--userspec=user:user', root, 'env', '-i', ...environment, 'bash', '-lc', command]
    return await timed(() => run('env', inRoot))
  } finally {
    await run('umount', [path.join(root, 'dev')]).catch(() => undefined)
    await run('btrfs', ['-q', 'subvolume', 'delete', root])
    await rm(parent, { recursive: true, force: true })
  }
}

/** The complete image: the name of an incomplete one begins with a dot. */
async function imageRoot(pool: string): Promise<string> {
  const [image] = (await readdir(path.join(pool, 'images'))).filter((name) => !name.startsWith('.'))
  if (image === undefined) throw new Error('the pool holds no image')
  return path.join(pool, 'images', image, 'root')
}
