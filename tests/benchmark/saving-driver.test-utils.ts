import { rm } from 'node:fs/promises'
import type { Driver, Program } from './driver.ts'
import { makeNativeDriver, plainSandboxes } from './drivers/native.ts'

/**
 * Processes of the machine whose resident program saves itself to a file and begins with it, so that all checks run
 * without root and without a sandbox.
 */
export function makeSavingDriver(): Driver {
  const native = makeNativeDriver(plainSandboxes)
  const programs = new Map<string, Program>()
  const gone = new Set<string>()
  const folderOf = async (id: string) => (await native.command(id, 'pwd')).output.trim()
  /** Resolves when the program has written its image. */
  const save = async (id: string) => {
    const image = `${await folderOf(id)}.image`
    const line = `rm -f ${image}; kill -USR1 $(cat program); until [ -e ${image} ]; do sleep 0.01; done`
    await native.command(id, line)
  }
  const begin = async (id: string, { image }: { image: string }) => {
    const [, , source = '', folder = '', ...rest] = programs.get(id) ?? []
    const words = ['python3', '-c', savingItself(source, image), folder, ...rest].map((word) => `'${word}'`)
    await native.command(id, `rm -rf ${folder}; setsid ${words.join(' ')} > /dev/null 2>&1 & echo $! > program`)
    await native.command(id, `until [ -e ${folder}/ready ]; do sleep 0.01; done`)
  }
  const forget = async (id: string) => {
    const folder = await folderOf(id)
    await native.delete(id)
    await rm(`${folder}.image`, { force: true })
  }
  return {
    ...native,
    capabilities: { ...native.capabilities, savesMemory: true, forks: true },
    create: async (program) => {
      const id = await native.create(program?.[0] === 'python3' ? undefined : program)
      if (program?.[0] !== 'python3') return id
      programs.set(id, program)
      await begin(id, { image: `${await folderOf(id)}.image` })
      return id
    },
    pause: async (id) => {
      if (programs.has(id)) await save(id)
      await native.pause(id)
    },
    dropMemory: async (id, { keepsImage }) => {
      await native.dropMemory(id, { keepsImage: false })
      if (!keepsImage) await rm(`${await folderOf(id)}.image`, { force: true })
      gone.add(id)
    },
    resume: async (id) => {
      if (gone.delete(id) && programs.has(id)) await begin(id, { image: `${await folderOf(id)}.image` })
      else await native.resume(id)
    },
    fork: async (id) => {
      await save(id)
      const fork = await native.create()
      programs.set(fork, programs.get(id) ?? ['true'])
      const folder = await folderOf(id)
      await native.command(fork, `cp -a ${folder}/. .`)
      await begin(fork, { image: `${folder}.image` })
      return fork
    },
    delete: forget,
  }
}

/** The program, with what saves its state on a signal, and what begins with a saved state. */
function savingItself(source: string, image: string): string {
  const ownLines = [
    'import pickle, signal',
    `image = "${image}"`,
    'def save(*_):',
    '  with open(image + ".new", "wb") as file: pickle.dump(state, file)',
    '  os.rename(image + ".new", image)',
    'signal.signal(signal.SIGUSR1, save)',
    'if os.path.exists(image): state = pickle.load(open(image, "rb"))',
  ]
  const [before = '', after = ''] = source.split('os.makedirs(folder)')
  return `${before}${ownLines.join('\n')}\nos.makedirs(folder)${after}`
}
