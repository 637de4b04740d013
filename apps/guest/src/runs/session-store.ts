import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { SessionState } from './session-script.ts'

export const sessionNameInvalid = defineError<{ name: string }>({
  code: 'session.name-invalid',
  kind: 'invalid',
  message: ({ name }) => `“${name}” is not a valid shell session name.`,
  remedy: () => 'Use up to 64 letters, digits, dots, hyphens and underscores.',
})

/** A session as one command found it. `version` shows whether another command has changed it since then. */
export type SessionCopy = { name: string; version: number; state: SessionState | undefined }

/**
 * Sessions by name, stored on the sandbox's disk, so that they outlive the guest. A command works on a copy; its
 * changes are kept only if the session is unchanged since the copy was made.
 */
export type SessionStore = {
  open(name: string): SessionCopy
  /** Applies what a command left behind; returns the current state, which can come from another command. */
  commit(copy: SessionCopy, left: SessionState | undefined): SessionCopy & { isTaken: boolean }
  /** Forgets what is in memory, because the disk may be another one. */
  reset(): void
}

export function makeSessionStore(options: { directory: string; logger: Logger }): SessionStore {
  const sessions = new Map<string, { version: number; state: SessionState | undefined }>()
  const path = (name: string) => join(options.directory, name)
  const current = (name: string) => {
    const known = sessions.get(name)
    if (known !== undefined) return known
    const loaded = { version: 0, state: readState(path(name)) }
    sessions.set(name, loaded)
    return loaded
  }
  return {
    open: (requested) => {
      const name = requested === '' ? 'main' : requested
      if (!/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/.test(name)) throw sessionNameInvalid({ name })
      return { name, ...current(name) }
    },
    commit: (copy, left) => {
      const session = current(copy.name)
      if (left === undefined || session.version !== copy.version) return { ...copy, ...session, isTaken: false }
      if (isSame(left, copy.state)) return { ...copy, isTaken: true }
      session.version += 1
      session.state = left
      try {
        writeState(path(copy.name), left)
      } catch (error) {
        // Usually a full disk: the session continues from memory, and the next command tries to write it again.
        options.logger.warn({ err: error }, 'session not written to the disk')
      }
      return { ...copy, ...session, isTaken: true }
    },
    reset: () => sessions.clear(),
  }
}

function optionsText(state: SessionState) {
  return state.options?.join(':')
}

function isSame(left: SessionState, right: SessionState | undefined) {
  return left.cwd === right?.cwd && left.restore === right.restore && optionsText(left) === optionsText(right)
}

function readState(path: string): SessionState | undefined {
  try {
    const [cwd = '', restore, options] = readFileSync(path, 'latin1').split('\0')
    return restore === undefined ? undefined : { cwd, restore, options: options?.split(':') }
  } catch {
    return undefined
  }
}

function writeState(path: string, state: SessionState) {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const text = [state.cwd, state.restore, ...(state.options === undefined ? [] : [optionsText(state)])].join('\0')
  writeFileSync(`${path}~`, text, { encoding: 'latin1', mode: 0o600 })
  renameSync(`${path}~`, path)
}
