import type { SandboxLimits } from '@threadbox/domain'

/**
 * What a sandbox technology does for threadbox: run a *boot*, which is one incarnation of a sandbox over its disk, with
 * the guest daemon as its first process. The driver knows nothing about threads, users or policies, keeps no records that
 * matter, and can be killed at any time: {@link SandboxDriver.list} reads what really exists.
 *
 * A boot ID is used once. After `start` returned, the boot runs until it exits or `stop` is called. An ended
 * boot stays visible with its cause until `forget`.
 *
 * Saving and restoring memory is a second interface, {@link MemorySavingDriver}: a driver without it is complete.
 */
export type SandboxDriver = {
  /**
   * Name and version of the technology, as recorded with everything that only it can read, and whether all programs are
   * installed that make its starts fast.
   */
  describe(): Promise<{ name: string; version: string; isComplete: boolean }>
  /** Starts a boot. The same boot ID again returns the running boot. If it throws, nothing is left behind. */
  start(request: BootRequest): Promise<void>
  /** Ends a boot and everything in it immediately. Does nothing if it has ended or is unknown. */
  stop(bootId: string): Promise<void>
  /** Removes what is left of an ended boot. Throws `driver.boot-running` for a running boot. */
  forget(bootId: string): Promise<void>
  /** The current state of a boot, read on the host; undefined if it is unknown. */
  inspect(bootId: string): Promise<BootStatus | undefined>
  list(): Promise<BootStatus[]>
  /** Changes limits of a running boot. Throws `driver.boot-not-running`. */
  setLimits(options: { bootId: string; limits: SandboxLimits }): Promise<void>
  /** Resolves when the boot has ended (immediately if it has); rejects with the signal’s reason when aborted. */
  waitForEnd(bootId: string, signal: AbortSignal): Promise<BootStatus>
}

export type BootRequest = {
  bootId: string
  sandboxId: string
  hostname: string
  /** The root directory of the sandbox’s disk on the host. */
  rootPath: string
  /** The network namespace that the boot joins. */
  networkNamespacePath: string
  /** Files of the host that every boot sees read-only. The list is complete, because a restore must match it. */
  mounts: {
    /** Guest daemon with its own loader and libraries; becomes `/.guest`. */
    guestDirectory: string
    /** Certificate bundle of the host; becomes `/etc/ssl/certs/ca-certificates.crt`. */
    certificateBundle: string
    /** Becomes `/etc/resolv.conf`. */
    resolvConf: string
    /** Becomes `/etc/hosts`: must contain the hostname, otherwise sudo waits ten seconds for DNS. */
    hostsFile: string
    /** Skills; becomes `/skills`. Can be empty. */
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
 * Drivers that can save a boot’s memory. A *memory image* is a directory that `saveMemory` created; it records the
 * driver version and processor features that it needs. The driver knows neither the disk content that an image belongs
 * to nor whether it was used before: the caller that keeps images must.
 */
export type MemorySavingDriver = SandboxDriver & {
  /**
   * Stops the clock of a running boot; its memory stays in RAM. Does nothing if it is frozen. A frozen boot can still
   * be stopped, and its end is still observed. Throws `driver.boot-not-running`, `driver.memory-not-saved`; the boot may
   * then be frozen or not, until `thaw`.
   */
  freeze(bootId: string): Promise<void>
  /**
   * Lets a frozen boot continue. Does nothing if it is not frozen. Throws `driver.boot-not-running`, also if it can’t
   * continue: it has been ended then, so a boot never stays frozen.
   */
  thaw(bootId: string): Promise<void>
  /** False if the boot is certainly not frozen, as far as this release froze it. */
  mayBeFrozen(bootId: string): Promise<boolean>
  /**
   * Compresses the memory of a frozen boot, which stays in RAM. The boot continues as before, and its memory returns as it is
   * used. Aborted: ends early, with what was done; await that before the boot continues. Does nothing where that isn’t possible or
   * the boot isn’t frozen; a failure is logged once, and `compression` names it.
   */
  compress(options: { bootId: string; signal: AbortSignal }): Promise<void>
  /** Whether memory is compressed on this machine. */
  compression(): Promise<MemoryCompression>
  /**
   * Writes the memory of a frozen boot into a directory that does not exist yet; the boot stays frozen. Does not sync
   * the files. If it throws, the directory does not exist. Throws `driver.boot-not-running`, `driver.memory-not-saved`.
   */
  saveMemory(options: { bootId: string; directory: string }): Promise<{ bytes: number }>
  /**
   * Returns why this driver cannot use an image on this host; undefined if no problem was found. Does not use the
   * image, so problems that only a restore can find are not found here.
   */
  judgeMemory(directory: string): Promise<{ problem: MemoryImageProblem; detail: string } | undefined>
  /**
   * Starts a boot from a memory image, under its own boot ID, over any disk and network: the caller is responsible for
   * their content. When it returns, the image is no longer needed. If it throws (`driver.memory-unusable`,
   * `driver.boot-failed`), nothing is left behind except the image.
   */
  startFromMemory(request: BootRequest & { directory: string }): Promise<void>
}

/** `maySwapRunning`: when memory is short, the kernel can also compress what running boots hold. */
export type MemoryCompression =
  | { state: 'off' }
  | { state: 'possible'; heldBytes: number; storedBytes: number; maySwapRunning: boolean }
  | { state: 'impossible'; problem: CompressionProblem; detail: string }

/** `other-swap`: memory could be written to a disk. `full`: there is no more space for compressed memory. */
export type CompressionProblem = 'other-swap' | 'full' | 'unavailable'

export type MemoryImageProblem = 'missing' | 'corrupt' | 'other-version' | 'cpu-features' | 'restore-failed'

export function canSaveMemory(driver: SandboxDriver): driver is MemorySavingDriver {
  return 'saveMemory' in driver && 'startFromMemory' in driver
}
