import type { UserEvent } from '@threadbox/protocol/public'

/** Live changes of users' sidebars, not recorded. Listeners limit their own queues. */
export type UserHub = {
  publish(userId: string, event: UserEvent): void
  /** Publishes to all users, for events of the installation. */
  broadcast(event: UserEvent): void
  subscribe(userId: string, listener: (event: UserEvent) => void): Disposable
  /** True while a page, or another program, shows this user’s changes. */
  isFollowed(userId: string): boolean
}

export function makeUserHub(): UserHub {
  const listeners = new Map<string, Set<(event: UserEvent) => void>>()
  return {
    publish: (userId, event) => {
      for (const listener of listeners.get(userId) ?? []) listener(event)
    },
    broadcast: (event) => {
      for (const ofUser of listeners.values()) for (const listener of ofUser) listener(event)
    },
    isFollowed: (userId) => listeners.has(userId),
    subscribe: (userId, listener) => {
      const ofUser = listeners.get(userId) ?? new Set()
      listeners.set(userId, ofUser.add(listener))
      return {
        [Symbol.dispose]: () => {
          ofUser.delete(listener)
          if (ofUser.size === 0 && listeners.get(userId) === ofUser) listeners.delete(userId)
        },
      }
    },
  }
}
