import type { CommandResult, Driver, Program } from './driver.ts'

/** Drivers that are honest but for one thing. Each would look better in the tables than it is. */

/** Returns the first result of a command to everything that gives the same line. */
export function cachingResults(driver: Driver): Driver {
  const known = new Map<string, CommandResult>()
  return {
    ...driver,
    command: async (id, line) => {
      const key = `${id} ${line}`
      const result = known.get(key) ?? (await driver.command(id, line))
      known.set(key, result)
      return result
    },
  }
}

/** Writes into the source what is written into a fork, as if both had one disk. */
export function sharingFiles(driver: Driver): Driver {
  const sources = new Map<string, string>()
  return {
    ...driver,
    fork: async (id) => {
      const fork = await driver.fork(id)
      sources.set(fork, id)
      return fork
    },
    command: async (id, line) => {
      const source = sources.get(id)
      if (source !== undefined && line.includes('>')) await driver.command(source, line)
      return await driver.command(id, line)
    },
  }
}

/** Says that a sandbox is paused. */
export function onlySayingPaused(driver: Driver): Driver {
  return { ...driver, pause: () => Promise.resolve(), resume: () => Promise.resolve() }
}

/** Stops a paused sandbox, and keeps all of it in RAM when its memory is dropped. */
export function keepingMemory(driver: Driver): Driver {
  return { ...driver, dropMemory: () => Promise.resolve() }
}

/** Begins the program again, over the same files. */
export function restarting(driver: Driver): Driver {
  const programs = new Map<string, Program>()
  return {
    ...driver,
    create: async (program) => {
      const id = await driver.create(program)
      if (program !== undefined) programs.set(id, program)
      return id
    },
    resume: async (id) => {
      await driver.dropMemory(id, { keepsImage: false })
      const [, , , folder] = programs.get(id) ?? []
      await driver.command(id, `rm -rf ${folder}`)
      await driver.resume(id)
      await driver.command(id, `until [ -e ${folder}/ready ]; do sleep 0.02; done`)
    },
  }
}

/** Has programs see a clock that runs at half the speed, so that everything seems to take half the time. */
export function slowingClocks(driver: Driver): Driver {
  const firsts = new Map<string, number>()
  const slowed = (name: string, value: number) => {
    const first = firsts.get(name) ?? value
    firsts.set(name, first)
    return first + (value - first) / 2
  }
  return {
    ...driver,
    command: async (id, line) => {
      const { exitCode, output } = await driver.command(id, line)
      const shown = output.replaceAll(
        /"(monotonicMs|realtimeMs)": ([\d.e+]+)/g,
        (_, name: string, value: string) => `"${name}": ${slowed(`${id} ${name}`, Number(value))}`,
      )
      return { exitCode, output: shown }
    },
  }
}
