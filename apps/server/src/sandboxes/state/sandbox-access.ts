import type { Client } from '@connectrpc/connect'
import type { filesystem, process, runs } from '@threadbox/protocol/guest'

/**
 * How the rest of the server reaches a thread's sandbox. Asking for it awake is what creates, starts and (later) wakes
 * it; asking for what is awake starts nothing.
 */
export type SandboxAccess = {
  /**
   * The sandbox, awake and ready. Concurrent calls join one operation. Delivers pending uploads before it returns.
   * Throws the host's error (`sandbox.*`), already fit for a person.
   */
  awake(
    threadId: string,
    options: { reason: 'turn' | 'files' | 'terminal' | 'preview' | 'api'; signal?: AbortSignal },
  ): Promise<AwakeSandbox>
  /**
   * The sandbox if it was ready when this server last heard of it. Nobody is asked, so its boot may be over: then the
   * host refuses what is sent, and nothing has begun.
   */
  believedReady(threadId: string): Promise<AwakeSandbox | undefined>
  /** The sandbox if it is awake now, else undefined. */
  ifAwake(threadId: string): Promise<AwakeSandbox | undefined>
  /**
   * Wakes a sandbox that sleeps because it will be wanted soon. In the background; never makes one, and never waits for
   * a place.
   */
  wakeAhead(threadId: string): void
  /** A turn is running in this thread: its sandbox must not be paused. Release when it ends. */
  hold(threadId: string): Disposable
}

export type AwakeSandbox = {
  sandboxId: string
  /** Runs are known to one boot only: a call recorded under another boot id cannot be re-attached. */
  bootId: string
  runs: Client<typeof runs.Runs>
  processes: Client<typeof process.Process>
  files: Client<typeof filesystem.Filesystem>
  /** The content of a file, streamed. Throws `file.not-found`, `file.is-directory`. */
  download(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ stream: ReadableStream<Uint8Array>; sizeBytes: number | null }>
  /** Writes a file, parents included, owned by the user. Throws `sandbox.disk-full`. */
  upload(path: string, content: ReadableStream<Uint8Array> | Uint8Array, signal?: AbortSignal): Promise<void>
}
