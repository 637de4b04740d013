import { makeKeyedLock } from '@threadbox/concurrency'
import type { UsableSecret } from '../../threads/public.ts'
import type { PlaceholderStore } from './placeholders.store.ts'

/** What programs of a sandbox have in place of each secret, by secret. */
export type Placeholders = (sandboxId: string, secrets: readonly UsableSecret[]) => Promise<Map<string, string>>

/** As the random part of a placeholder: 36 characters of 36 (186 bits), about as long as a usual key. */
const randomCharacters = 36
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Makes those that are missing, and forgets those of secrets that the sandbox no longer has: a grant that is given again
 * gets another one.
 */
export function makePlaceholders(dependencies: {
  store: PlaceholderStore
  randomBytes(count: number): Uint8Array
}): Placeholders {
  const { store, randomBytes } = dependencies
  const random = () => {
    let text = ''
    while (text.length < randomCharacters) {
      // 252 is the largest multiple of 36 below 256.
      for (const byte of randomBytes(48)) if (byte < 252) text += alphabet[byte % 36]
    }
    return text.slice(0, randomCharacters)
  }
  const inOrder = makeKeyedLock()
  const obtain: Placeholders = async (sandboxId, secrets) => {
    const known = await store.of(sandboxId)
    const ids = secrets.map(({ id }) => id)
    if ([...known.keys()].some((id) => !ids.includes(id))) await store.keepOnly(sandboxId, ids)
    const placeholders = new Map<string, string>()
    for (const { id, rules } of secrets) {
      const kept = known.get(id)
      const beginning = `${rules.placeholderPrefix}tbx`
      if (kept?.startsWith(beginning) === true) {
        placeholders.set(id, kept)
        continue
      }
      const placeholder = beginning + random()
      if (kept !== undefined) {
        await store.keepOnly(
          sandboxId,
          ids.filter((other) => other !== id),
        )
      }
      await store.insert({ sandboxId, secretId: id, placeholder })
      placeholders.set(id, placeholder)
    }
    return placeholders
  }
  return (sandboxId, secrets) => inOrder(sandboxId, () => obtain(sandboxId, secrets))
}
