import type { Client } from '@connectrpc/connect'
import type { filesystem, process, runs } from '@threadbox/protocol/guest'

/**
 * How the rest of the server reaches a thread’s sandbox. `awake` creates, starts or wakes the sandbox; `ifAwake` starts
 * nothing.
 */
export type SandboxAccess = {
  /**
   * Returns the sandbox, awake and ready. Concurrent calls join one operation. Delivers pending uploads before it
   * returns. Throws the host’s error (`sandbox.*`), whose text is fit for people.
   */
  awake(
    threadId: string,
    options: { reason: 'turn' | 'files' | 'terminal' | 'preview' | 'api'; signal?: AbortSignal },
  ): Promise<AwakeSandbox>
  /**
   * Returns the sandbox if it was ready when this server last heard of it, without asking the host. Its boot may have
   * ended: then the host rejects what is sent, and nothing has begun.
   */
  believedReady(threadId: string): Promise<AwakeSandbox | undefined>
  /** Returns the sandbox if it is awake now, else undefined. */
  ifAwake(threadId: string): Promise<AwakeSandbox | undefined>
  /**
   * A command is about to be recorded: begins to start or wake the sandbox, in the background, without waiting for memory. If that
   * fails, `awake` tries again.
   */
  wakeAhead(threadId: string): void
  /**
   * An agent's turn has begun: wakes a sleeping sandbox, and has its Python kernel start, in the background. Never creates
   * a sandbox, and never waits for memory.
   */
  prepareForAgent(threadId: string): void
  /** A turn has ended and none follows: what was started for it and not used is ended, in the background. */
  turnEnded(threadId: string): void
  /** Marks a turn as running in this thread until the result is disposed of: its sandbox must not be paused. */
  hold(threadId: string): Disposable
}

export type AwakeSandbox = {
  sandboxId: string
  /** Executions are known to one boot only: a call recorded under another boot ID cannot be attached again. */
  bootId: string
  runs: Client<typeof runs.Runs>
  processes: Client<typeof process.Process>
  files: Client<typeof filesystem.Filesystem>
  /** Streams the content of a file. Throws `file.not-found`, `file.is-directory`. */
  download(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ stream: ReadableStream<Uint8Array>; sizeBytes: number | null }>
  /** Writes a file, parents included, owned by the user. Throws `sandbox.disk-full`. */
  upload(path: string, content: ReadableStream<Uint8Array> | Uint8Array, signal?: AbortSignal): Promise<void>
}
