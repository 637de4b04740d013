import type { Registration } from '../events/registrations.ts'

/** Returns the opened secrets of one feature. */
export type SecretHolder = () => Promise<readonly string[]>

/** Everything that is sealed with the master key: keys of models, tokens of connections and of Git credentials. */
export type SecretsInUse = { addHolder(read: SecretHolder): void; inUse(): Promise<string[]> }

/** Shorter secrets could match a text by chance. */
const minSecretCharacters = 8

export function makeSecretsInUse(holders: Registration<SecretHolder>): SecretsInUse {
  return {
    addHolder: holders.add,
    inUse: async () => {
      const all: string[] = []
      for (const read of holders.entries()) all.push(...(await read()))
      return [...new Set(all)].filter(({ length }) => length >= minSecretCharacters)
    },
  }
}
