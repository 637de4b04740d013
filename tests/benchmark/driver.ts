/**
 * What the benchmark asks of a technology that keeps programs and files apart: nine verbs, of which files have two
 * calls. A driver does no more for a verb than a user of the technology would, and nothing ahead of it.
 */
export type Driver = AsyncDisposable & {
  capabilities: Capabilities
  /** Resolves when commands can be given. The program, if there is one, runs for as long as its memory exists. */
  create(program?: Program): Promise<string>
  /** Runs a line of `/bin/sh` in the sandbox’s folder. */
  command(id: string, line: string): Promise<CommandResult>
  /** A file of the sandbox’s folder. Its content is ASCII text: some technologies take nothing else. */
  writeFile(id: string, file: SandboxFile): Promise<void>
  readFile(id: string, name: string): Promise<string>
  /** Resolves when the programs stand still, and, with `savesMemory`, when their memory would survive a power cut. */
  pause(id: string): Promise<void>
  /** Removes a paused sandbox from RAM. Without an image, only its files are left. */
  dropMemory(id: string, options: { keepsImage: boolean }): Promise<void>
  /** Resolves when commands can be given again. */
  resume(id: string): Promise<void>
  /** A second sandbox with the files and the running programs of this one, which continues. */
  fork(id: string): Promise<string>
  delete(id: string): Promise<void>
  describe(id: string): Promise<Description>
}

export type Program = readonly [string, ...string[]]
export type CommandResult = { exitCode: number; output: string }
export type SandboxFile = { name: string; content: string }

/** A verb of a missing capability rejects with {@link UnsupportedError}. */
export type Capabilities = {
  /** What is between two sandboxes. */
  separates: 'kernel' | 'namespaces' | 'nothing'
  pauses: boolean
  /** `pause` saves memory, and `dropMemory` can keep that image. */
  savesMemory: boolean
  /** A sandbox without memory can be resumed: its files are there, its programs are not. */
  startsCold: boolean
  forks: boolean
  /** A command resumes a paused sandbox; nothing has to ask for it first. */
  wakesOnCommand: boolean
}

export type Description = {
  /** Processes of the machine in which the sandbox’s programs and their memory are; none without memory. */
  processIds: number[]
  /** Memory that the kernel can’t reclaim, each page counted once. */
  memoryBytes: number
}

/** A technology that can be measured. */
export type Technology = {
  name: string
  /** What a sandbox of it is, and what its verbs do. */
  about: string
  /** Its programs are those of the product’s base image. */
  hasImage: boolean
  /** Rejects with the reason if it can’t run here. */
  open(): Promise<{ driver: Driver; version: string }>
}

/** The technology can’t do that. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError'
}

export function unsupported(what: string): () => Promise<never> {
  return () => Promise.reject(new UnsupportedError(what))
}
