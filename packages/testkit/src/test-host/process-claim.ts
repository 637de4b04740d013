import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/**
 * True when the claim is this process's now: it was free, or the process that had it is gone. False also where its
 * directory is gone.
 */
export async function claim(file: string): Promise<boolean> {
  const own = `${file}.${randomBytes(4).toString('hex')}`
  try {
    // Whole before it has its name: an empty claim would be one of nobody.
    await writeFile(own, `${process.pid} ${await startTicks(process.pid)}`)
    while (!(await linked(own, file))) {
      if (await isClaimed(file)) return false
      await takeAway(file, own)
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** Whether a process that lives has the claim. */
export async function isClaimed(file: string): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => '')
  const [pid, ticks] = holder.split(' ')
  return ticks !== undefined && (await startTicks(Number(pid))) === ticks
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes the claim of a process that is gone away; one that another process made meanwhile is put back. */
async function takeAway(file: string, own: string): Promise<void> {
  const old = `${own}.old`
  try {
    await rename(file, old)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (await isClaimed(old)) await linked(old, file)
  await rm(old, { force: true })
}

async function startTicks(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}
