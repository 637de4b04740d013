import type { Registration } from '../events/registrations.ts'

/** Reads what one feature has sealed with the master key, opened. */
export type SecretHolder = () => Promise<readonly string[]>

/** Everything that is sealed with the master key: keys of models, tokens of connections and of Git credentials. */
export type SecretsInUse = { addHolder(read: SecretHolder): void; inUse(): Promise<string[]> }

/** Shorter ones could stand anywhere by chance. */
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
