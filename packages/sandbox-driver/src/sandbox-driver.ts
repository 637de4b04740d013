import type { SandboxLimits } from '@threadbox/domain'

/**
 * What a sandbox technology does for threadbox: run a *boot*, which is one incarnation of a sandbox over its disk, with
 * the guest daemon as its first process. The driver knows nothing of threads, users or policies, keeps no records that
 * matter, and can be killed at any time: {@link SandboxDriver.list} says what is really there.
 *
 * A boot id is used once. After `start` returned, the boot runs until it ends by itself or `stop` is called. An ended
 * boot stays visible with its cause until `forget`.
 *
 * Saving and restoring memory is a second interface, {@link MemorySavingDriver}: a driver without it is complete.
 */
export type SandboxDriver = {
  /** Name and version of the technology, as recorded beside everything that only it can read. */
  describe(): Promise<{ name: string; version: string }>
  /** Starts a boot. The same boot id again returns the running boot. When it throws, nothing stays behind. */
  start(request: BootRequest): Promise<void>
  /** Ends a boot and everything in it, at once. Ended or unknown: does nothing. */
  stop(bootId: string): Promise<void>
  /** Removes what is left of an ended boot. A running boot is refused with `driver.boot-running`. */
  forget(bootId: string): Promise<void>
  /** The state of a boot as it is now, looked up on the machine; undefined when nothing is known of it. */
  inspect(bootId: string): Promise<BootStatus | undefined>
  list(): Promise<BootStatus[]>
  /** Changes limits of a running boot. Throws `driver.boot-not-running`. */
  setLimits(options: { bootId: string; limits: SandboxLimits }): Promise<void>
  /** Resolves when the boot has ended (at once if it has); rejects with the signal's reason when aborted. */
  waitForEnd(bootId: string, signal: AbortSignal): Promise<BootStatus>
}

export type BootRequest = {
  bootId: string
  sandboxId: string
  hostname: string
  /** Root directory of the sandbox's disk on the host. */
  rootPath: string
  /** Network namespace that the boot joins. */
  networkNamespacePath: string
  /** Files of the host that every boot sees read-only: the complete list, because a restore must match it. */
  mounts: {
    /** Guest daemon with its own loader and libraries; becomes `/.guest`. */
    guestDirectory: string
    /** Certificate bundle of the host; becomes `/etc/ssl/certs/ca-certificates.crt`. */
    certificateBundle: string
    /** Becomes `/etc/resolv.conf`. */
    resolvConf: string
    /** Becomes `/etc/hosts`: must name the hostname, or sudo waits ten seconds for DNS. */
    hostsFile: string
    /** Skills; becomes `/skills`. May be empty. */
    skillsDirectory: string
  }
  limits: SandboxLimits
}

export type BootEndCause =
  | 'stopped'
  | 'memory-backstop'
  | 'killed-inside'
  | 'killed-outside'
  | 'machine-restarted'
  | 'unknown'

export type BootStatus =
  | { bootId: string; sandboxId: string; state: 'running'; pid: number; memoryBytes: number | null }
  | { bootId: string; sandboxId: string; state: 'ended'; cause: BootEndCause; detail: string }

/**
 * Drivers that can keep a boot's memory. A *memory image* is a directory that `saveMemory` made; it says itself which
 * driver version and which processor it needs. The driver does not know to which disk content an image belongs, nor
 * whether it was used before: whoever keeps images must.
 */
export type MemorySavingDriver = SandboxDriver & {
  /**
   * Stops the clock of a running boot; its memory stays in RAM. Frozen already: does nothing. A frozen boot can still
   * be stopped, and its end is still seen. Throws `driver.boot-not-running`, `driver.memory-not-saved`.
   */
  freeze(bootId: string): Promise<void>
  /** Lets a frozen boot go on. Not frozen: does nothing. Throws `driver.boot-not-running`. */
  thaw(bootId: string): Promise<void>
  /**
   * Writes the memory of a frozen boot into a directory that does not exist yet; the boot stays frozen. Not synced to
   * the disk. On failure the directory is gone. Throws `driver.boot-not-running`, `driver.memory-not-saved`.
   */
  saveMemory(options: { bootId: string; directory: string }): Promise<{ bytes: number }>
  /**
   * Says whether an image could be used by this driver on this machine, without using it; undefined when it could.
   * What only a restore can find out is not found here.
   */
  judgeMemory(directory: string): Promise<{ problem: MemoryImageProblem; detail: string } | undefined>
  /**
   * Starts a boot out of a memory image, under a boot id of its own, over any disk and network: what both have to be is
   * the caller's business. When it returns, the image is not needed any more. When it throws
   * (`driver.memory-unusable`, `driver.boot-failed`), nothing stays behind but the image.
   */
  startFromMemory(request: BootRequest & { directory: string }): Promise<void>
}

export type MemoryImageProblem = 'missing' | 'corrupt' | 'other-version' | 'cpu-features' | 'restore-failed'

export function canSaveMemory(driver: SandboxDriver): driver is MemorySavingDriver {
  return 'saveMemory' in driver && 'startFromMemory' in driver
}
